#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Part of cenic.
"""Drives the real program the way people and scripts do: cli_test.py BINARY VERSION [unittest options]."""
import csv
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = VERSION = ""
PHASES = {"geometry", "dynamics", "problem", "hessian", "factorization", "linesearch", "external", "other"}
KEYS = set("""scene integrator accuracy fixed_step duration time steps rejected_steps local_steps solves solver_iterations
factorizations linesearch_iterations geometry_queries contacts_mean contacts_max wall_seconds real_time_rate step_min
step_mean step_max energy_initial energy_final max_penetration phases final
surfaces step_first initial_penetration seed threads error_norm external_treatment limited_by version""".split())
USAGE, INPUT, ACCURACY, INTERRUPTED = 2, 3, 4, 130


# Runs that fail leave a file where they were started.
FOLDER = tempfile.TemporaryDirectory()


def cenic(*arguments):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=120, cwd=FOLDER.name)


def has_page():
    """Was the page for the browser there when the program was built?"""
    return "page for the browser" not in cenic("run", "bouncing_ball", "--duration", 0, "--html", os.devnull).stderr


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


def parse(text):
    """Exactly one JSON value, without NaN."""
    return json.loads(text, parse_constant=refuse)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_json(self, *arguments, code=0):
        done = cenic("run", *arguments, "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        result = parse(done.stdout)
        self.assertEqual(KEYS, set(result) - {"failure"})
        return result

    def fails(self, code, pattern, *arguments):
        done = cenic(*arguments)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stdout}{done.stderr}")
        self.assertRegex(done.stderr, pattern)
        self.assertEqual(done.stdout, "")


class Check(Case):
    def write(self, hinge, inertia="0.01"):
        path = self.folder / "arm.urdf"
        path.write_text(f"""<robot name="arm"><link name="world"/><link name="arm"><inertial><mass value="1"/>
            <inertia ixx="{inertia}" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
            <joint name="hinge" type="revolute"><parent link="world"/><child link="arm"/><axis xyz="0 1 0"/>{hinge}</joint></robot>""")
        return path

    def test_findings_and_exit_codes(self):
        stiff = self.write('<dynamics damping="1e5"/>')
        done = cenic("check", stiff)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"warning: joint 'hinge': .*\[gain\]\n.*1 warning, 0 notes")
        self.assertEqual(cenic("check", stiff, "--strict").returncode, INPUT)
        result = parse(cenic("check", stiff, "--json").stdout)
        self.assertEqual(set(result), {"scene", "loads", "errors", "warnings", "notes", "findings"})
        self.assertEqual((result["loads"], result["errors"], result["warnings"], result["notes"]), (True, [], 1, 0))
        (finding,) = result["findings"]
        self.assertEqual(set(finding), {"check", "severity", "subject", "value", "what", "file", "line"})
        self.assertEqual((finding["check"], finding["severity"], finding["file"]), ("gain", "warning", None))
        self.assertAlmostEqual(finding["value"], 2 * 0.01 / 1e5)

    def test_nothing_to_say(self):
        for scene in (self.write(""), "double_pendulum"):
            done = cenic("check", scene, "--strict")
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertRegex(done.stdout, r": 0 warnings")

    def test_moments_that_no_body_has(self):
        done = cenic("check", self.write("", inertia="1"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"arm.urdf:\d+: note: .*one above the sum.*taken as .*\[approximated\]")

    def test_what_does_not_load(self):
        broken = self.write("", inertia="-1")
        self.fails(INPUT, r"arm.urdf:\d+: error: the principal moments", "check", broken)
        done = cenic("check", broken, "--json")
        self.assertEqual(done.returncode, INPUT)
        result = parse(done.stdout)
        self.assertEqual((result["loads"], result["findings"]), (False, []))
        self.assertRegex(result["errors"][0], "principal moments")


class Run(Case):
    def test_pinned_double_pendulum(self):
        r = self.run_json("double_pendulum", "--integrator", "cenic-paper", "--accuracy", "1e-3", "--max-step", "0.1",
                          "--duration", "1")
        self.assertEqual((r["steps"], r["rejected_steps"], r["solver_iterations"]), (167, 23, 569))
        self.assertAlmostEqual(r["step_min"], 0.0038194, delta=1e-6)
        self.assertAlmostEqual(r["step_max"], 0.0126700, delta=1e-6)

    def test_json_describes_the_run(self):
        r = self.run_json("hard_clutter", "--duration", "0.5", "--seed", "3", "--threads", "2", "--error-norm", "state",
                          "--max-step", "0.05", "--accuracy", "1e-2")
        self.assertEqual(set(r["phases"]), PHASES)
        self.assertEqual(set(r["final"]), {"t", "q", "v", "z"})
        self.assertEqual((len(r["final"]["q"]), len(r["final"]["v"])), (140, 120))
        self.assertEqual((r["scene"], r["seed"], r["threads"], r["error_norm"]), ("hard_clutter", 3, 2, "state"))
        self.assertEqual((r["accuracy"], r["fixed_step"], r["version"]), (0.01, None, VERSION))
        self.assertEqual((r["time"], r["final"]["t"], r["duration"]), (0.5, 0.5, 0.5))
        self.assertLessEqual(r["step_max"], 0.05)
        self.assertAlmostEqual(r["step_mean"] * r["steps"], 0.5, delta=1e-9)
        self.assertLessEqual(len(r["limited_by"]), 5)
        self.assertTrue(all(limit["name"].startswith("body 'object_") for limit in r["limited_by"]))
        self.assertNotIn("failure", r)

    def test_phases_add_up_to_the_wall_time(self):
        r = self.run_json("hard_clutter", "--duration", "1")
        self.assertAlmostEqual(sum(r["phases"].values()), r["wall_seconds"], delta=1e-6 + 0.05 * r["wall_seconds"])

    def test_fixed_step(self):
        r = self.run_json("bouncing_ball", "--step", "0.01", "--duration", "1")
        self.assertEqual((r["accuracy"], r["fixed_step"], r["steps"], r["rejected_steps"]), (None, 0.01, 100, 0))

    def test_no_time_at_all(self):
        r = self.run_json("bouncing_ball", "--duration", "0")
        self.assertEqual((r["steps"], r["time"], r["real_time_rate"]), (0, 0, None))

    def test_settings(self):
        r = self.run_json("hard_clutter", "--set", "count=3", "--set", "integrator.extrapolate=false", "--duration", ".1")
        self.assertEqual(len(r["final"]["v"]), 18)
        self.assertNotEqual(self.run_json("hard_clutter", "--seed", "1", "--duration", "0")["final"]["q"],
                            self.run_json("hard_clutter", "--seed", "2", "--duration", "0")["final"]["q"])

    def test_same_command_same_result(self):
        a, b = (self.run_json("hard_clutter", "--duration", "1", "--threads", n) for n in (1, 2))
        self.assertEqual(a["final"], b["final"])

    def test_table_for_people_and_silence(self):
        done = cenic("run", "hard_clutter", "--duration", "0.3")
        self.assertEqual((done.returncode, done.stderr), (0, ""))  # no progress bar in a pipe
        for word in ("integrator", "accuracy", "real-time rate", "rejected", "penetration", "geometry"):
            self.assertIn(word, done.stdout)
        self.assertEqual(cenic("run", "hard_clutter", "--duration", "0.3", "--quiet").stdout, "")

    def test_result_that_cannot_be_printed_is_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([BINARY, "list"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, INPUT)
        self.assertIn("standard output", done.stderr)

    def test_interrupt_keeps_what_was_done(self):
        table = self.folder / "steps.csv"
        process = subprocess.Popen([BINARY, "run", "double_pendulum", "--duration", "1e9", "--json", "--csv", table],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        partial = pathlib.Path(f"{table}.partial")
        deadline = time.monotonic() + 60
        while not (partial.exists() and partial.stat().st_size > 10000):
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, INTERRUPTED)
        r = parse(out)
        self.assertGreater(r["time"], 0)
        self.assertIn("interrupted", r["failure"])
        self.assertEqual(len(table.read_text().splitlines()), 1 + r["steps"])


class Accuracy(Case):
    def test_failure_names_the_culprit_and_keeps_results(self):
        table, page = self.folder / "steps.csv", self.folder / "replay.html"
        arguments = ["hard_clutter", "--accuracy", "1e-3", "--set", "integrator.min_step=0.005", "--csv", table]
        arguments += ["--html", page] if has_page() else []
        r = self.run_json(*arguments, code=ACCURACY)
        self.assertGreater(r["time"], 0)
        self.assertLess(r["time"], r["duration"])
        self.assertRegex(r["failure"], r"body 'object_\d+'")
        self.assertEqual(len(table.read_text().splitlines()), 1 + r["steps"])
        self.assertEqual(page.exists(), has_page())
        self.assertRegex(cenic("run", *arguments).stderr, r"^hard_clutter: error: .*body 'object_\d+'")

    def test_unstable_controller_is_named(self):
        r = self.run_json("pid_pendulum", "--set", "kp=-1e9", "--set", "kd=0", code=ACCURACY)
        self.assertRegex(r["failure"], r"joint '.*driven by system '\w+'.*unstable")

    def test_failure_of_the_first_step(self):
        page = ["--html", self.folder / "replay.html"] if has_page() else []
        r = self.run_json("double_pendulum", "--accuracy", "1e-9", "--set", "integrator.min_step=0.05", *page,
                          code=ACCURACY)
        self.assertEqual((r["time"], r["steps"]), (0, 0))
        self.assertIn("failure", r)
        self.assertEqual((self.folder / "replay.html").exists(), has_page())


class Mistakes(Case):
    def test_usage(self):
        self.fails(USAGE, "unknown verb 'walk'.*run, view, info, .*list", "walk")
        self.fails(USAGE, "give a verb")
        self.fails(USAGE, "SCENE is required", "run")
        self.fails(USAGE, "excludes", "run", "hard_clutter", "--accuracy", "1e-3", "--step", "0.01")
        self.fails(USAGE, "--accuracy", "run", "hard_clutter", "--accuracy", "high")
        self.fails(USAGE, "--hurry", "run", "hard_clutter", "--hurry")
        self.fails(USAGE, "name=value", "run", "hard_clutter", "--set", "count")
        self.fails(USAGE, "error-norm", "run", "hard_clutter", "--error-norm", "taxi")

    def test_scene(self):
        self.fails(INPUT, "^hard_cluter: error: .*did you mean 'hard_clutter'", "run", "hard_cluter")
        self.fails(INPUT, r"^robot.xml: error: .*opened", "run", "robot.xml")
        self.fails(INPUT, r"^a/b.urdf: error: ", "info", "a/b.urdf")
        self.fails(INPUT, "^chain: error: .*keyframes", "run", "chain", "--keyframe", "home")
        self.fails(INPUT, "^hard_clutter: error: .*'colour'", "run", "hard_clutter", "--set", "colour=3")
        self.fails(INPUT, "^hard_clutter: error: .*'many'", "run", "hard_clutter", "--set", "count=many")
        self.fails(INPUT, "^hard_clutter: error: .*count", "run", "hard_clutter", "--set", "count=-1")

    def test_integrator(self):
        self.fails(INPUT, "^error: .*accuracy is -1", "run", "hard_clutter", "--accuracy", "-1")
        self.fails(INPUT, "^error: .*accuracy is 0", "run", "hard_clutter", "--accuracy", "0")
        self.fails(INPUT, "^error: .*accuracy is nan", "run", "hard_clutter", "--accuracy", "nan")
        self.fails(INPUT, "^error: .*step 0.2 .*max_step", "run", "hard_clutter", "--step", "0.2")
        self.fails(INPUT, "^error: .*step is 0", "run", "hard_clutter", "--step", "0")
        self.fails(INPUT, "^error: .*duration", "run", "hard_clutter", "--duration", "-1")
        self.fails(INPUT, "^error: .*'euler'.*cenic-paper.*rk3", "run", "hard_clutter", "--integrator", "euler")
        self.fails(INPUT, "^error: .*integrator.magic", "run", "hard_clutter", "--set", "integrator.magic=1")
        self.fails(INPUT, "^error: .*integrator.islands", "run", "hard_clutter", "--set", "integrator.islands=maybe")
        self.fails(INPUT, "^error: .*threads", "run", "hard_clutter", "--threads", "0")
        self.fails(INPUT, "^error: .*quadrature.*'fine'.*reduced", "run", "cylinder", "--set", "hydroelastic.quadrature=fine")

    def test_hydroelastic(self):
        self.fails(INPUT, "hydroelastic.youngs", "run", "cylinder", "--set", "hydroelastic.youngs=1e7")
        self.fails(INPUT, "modulus is -1", "run", "cylinder", "--set", "hydroelastic.modulus=-1")
        press = parse(cenic("run", "box_stack", "--contact", "hydroelastic", "--duration", "0.1", "--json").stdout)
        self.assertGreater(press["surfaces"]["polygons"], 0)
        points = parse(cenic("run", "cylinder", "--contact", "point", "--duration", "0.1", "--json").stdout)
        self.assertEqual(points["surfaces"]["queries"], 0)
        info = parse(cenic("info", "static_gripper", "--json").stdout)
        self.assertEqual(info["contact"], {"hydroelastic": 7, "point": 0, "point_both_rigid": 0, "point_without_field": 0})

    # Meshes that cannot be pressed say which file and element, and what to do.
    def test_bad_meshes(self):
        corners = [(x, y, z) for x in (0, 0.1) for y in (0, 0.1) for z in (0, 0.1)]
        faces = [(1, 2, 4), (1, 4, 3), (5, 7, 8), (5, 8, 6), (1, 5, 6), (1, 6, 2), (3, 4, 8), (3, 8, 7), (1, 3, 7),
                 (1, 7, 5), (2, 6, 8), (2, 8, 4)]

        def write(name, vertices, triangles):
            path = self.folder / name
            lines = ["v %s %s %s" % v for v in vertices] + ["f %d %d %d" % f for f in triangles]
            path.write_text("\n".join(lines) + "\n")
            return f"mesh={path}"

        def check(pattern, name, vertices, triangles):
            self.fails(INPUT, pattern, "run", "hydro_mesh", "--set", write(name, vertices, triangles))

        check(r"open.obj: error: .*edge", "open.obj", corners, faces[:-1])
        check(r"flat.obj: error: .*volume", "flat.obj", corners, [faces[0], faces[0][::-1]])
        check(r"nan.obj:3: error: .*'nan'", "nan.obj", corners[:2] + [("nan", 0, 0)] + corners[3:], faces)
        check(r"none.obj:8: error: no faces", "none.obj", corners, [])
        check(r"range.obj:21: error: .*vertex 99", "range.obj", corners, faces + [(1, 2, 99)])
        (self.folder / "empty.obj").write_text("")
        self.fails(INPUT, "empty.obj: error: .*empty", "run", "hydro_mesh", "--set", f"mesh={self.folder}/empty.obj")
        # Repaired, and said so.
        for name, triangles, note in (("round.obj", [f[::-1] for f in faces], "inside out"),
                                      ("flip.obj", [faces[0][::-1]] + faces[1:], "turned")):
            info = parse(cenic("info", "hydro_mesh", "--json", "--set", write(name, corners, triangles)).stdout)
            self.assertRegex(" ".join(entry["what"] for entry in info["approximated"]), note)

    def test_files(self):
        for option in ("--csv", "--html"):
            self.fails(INPUT, "No such file", "run", "hard_clutter", option, self.folder / "none" / "file")
            self.fails(INPUT, "is a directory", "run", "hard_clutter", option, self.folder)
        good = self.folder / "good.csv"
        self.fails(INPUT, "cannot write", "run", "hard_clutter", "--csv", good, "--html", self.folder / "none" / "file")
        self.assertEqual(os.listdir(self.folder), [])

    def test_full_disk(self):
        # At the end of a short run, or in the middle of a long one, which stops there: the results are there.
        for duration in 0.1, 1e9:
            done = cenic("run", "bouncing_ball", "--duration", duration, "--csv", "/dev/full", "--json")
            result = parse(done.stdout)
            self.assertEqual((done.returncode, done.stderr), (INPUT, "/dev/full: error: cannot write: No space left on device\n"))
            self.assertEqual(result["time"] == duration, duration == 0.1)
            self.assertEqual(result.get("failure"), None if duration == 0.1 else done.stderr.strip())
        if has_page():
            self.fails(INPUT, "^/dev/full: error: cannot write: No space", "run", "bouncing_ball", "--quiet", "--html",
                       "/dev/full")


class Records(Case):
    def test_csv(self):
        path = self.folder / "steps.csv"
        r = self.run_json("double_pendulum", "--csv", path)
        with path.open(newline="") as file:
            header, *rows = csv.reader(file)
        self.assertEqual(header, ["t", "h", "error", "rejections", "limited_by", "q0", "q1", "v0", "v1", "normal_force",
                                  "friction_force", "slip_speed", "constraint_error"])
        self.assertEqual(len(rows), r["steps"])
        self.assertAlmostEqual(sum(float(row[1]) for row in rows), r["time"], delta=1e-12)
        self.assertEqual(sum(int(row[3]) for row in rows), r["rejected_steps"])
        self.assertEqual([float(x) for x in rows[-1][5:7]], r["final"]["q"])
        self.assertLess(max(float(row[2]) for row in rows), r["accuracy"] * (1 + 1e-12))
        self.assertEqual({row[4] for row in rows} - {"joint 'joint_1'", "joint 'joint_2'"}, set())

    def test_csv_records_stick_and_slip(self):
        path = self.folder / "belt.csv"
        self.run_json("conveyor", "--accuracy", "1e-5", "--duration", "0.6", "--csv", path)
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        share = [float(row["friction_force"]) / float(row["normal_force"]) for row in rows]
        self.assertGreater(max(share), 0.98)  # sticks up to the static limit, 1
        sliding = [s for s, row in zip(share, rows) if float(row["slip_speed"]) > 0.2]
        self.assertGreater(len(sliding), 10)
        self.assertTrue(all(abs(s - 0.5) < 0.005 for s in sliding))  # and slides at the dynamic one

    def test_csv_records_systems(self):
        path = self.folder / "pid.csv"
        r = self.run_json("pid_pendulum", "--duration", "1", "--csv", path)
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        states = [name for name in rows[0] if name.startswith("pid.") or name.startswith("control.")]
        self.assertEqual(len(states), len(r["final"]["z"]))
        self.assertEqual([float(rows[-1][name]) for name in states], r["final"]["z"])

    def test_a_loop_that_cannot_close(self):
        self.fails(INPUT, "cannot close.*'end'", "run", "closed_chain", "--set", "gap=2")
        self.run_json("closed_chain", "--set", "gap=0.1", "--duration", "0.5")
        self.fails(INPUT, "knows no joint limits and constraints", "run", "four_bar", "--integrator", "rk3")


class Look(Case):
    def test_version_and_help(self):
        done = cenic("--version")
        self.assertEqual((done.returncode, done.stdout), (0, f"cenic {VERSION}\n"))
        for arguments in (["--help"], ["run", "--help"], ["info", "-h"], ["list", "--help"]):
            done = cenic(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("Usage", done.stdout)

    def test_list(self):
        listed = parse(cenic("list", "--json").stdout)
        self.assertEqual(set(listed), {"scenes", "integrators", "integrator_options"})
        self.assertLessEqual({"cenic", "cenic-paper", "rk3", "implicit-euler", "sdirk2", "ros2"}, set(listed["integrators"]))
        for name in listed["integrators"]:
            done = parse(cenic("run", "double_pendulum", "--integrator", name, "--duration", "0.1", "--json").stdout)
            self.assertEqual((done["integrator"], done["time"]), (name, 0.1))
        self.assertIn("extrapolate", listed["integrator_options"])
        text = cenic("list").stdout
        for scene in listed["scenes"]:
            self.assertIn(scene["name"], text)
            self.run_json(scene["name"], "--duration", "0.01",
                          *(f"--set={p['name']}={p['default']}" for p in scene["parameters"]))

    def test_info_of_systems(self):
        info = parse(cenic("info", "franka", "--json").stdout)
        self.assertEqual(info["systems"], len(info["system_table"]))
        self.assertGreaterEqual(info["systems"], 2)
        self.assertIn("reads → gives", cenic("info", "franka").stdout)

    def test_info(self):
        info = parse(cenic("info", "chain", "--set", "links=4", "--json").stdout)
        counts = {key: info[key] for key in ("bodies", "joints", "dofs", "geometries", "trees")}
        self.assertEqual(counts, {"bodies": 4, "joints": 4, "dofs": 4, "geometries": 4, "trees": 1})
        self.assertEqual((info["limits"], info["constraints"], info["constraint_table"]), (0, 0, []))
        self.assertEqual(info["approximated"], [])
        self.assertAlmostEqual(sum(row["mass"] for row in info["body_table"]), info["total_mass"], places=9)
        text = cenic("info", "hard_clutter").stdout
        self.assertRegex(text, r"approximated +nothing")
        self.assertRegex(text, r"limits +0\n +constraints +0")
        self.assertRegex(text, r"object_000 +world .*free +sphere")


class Files(Case):
    MODEL = """<mujoco model="pendulum">
<option timestep="0.01"/>
<worldbody>
<body name="pole"><joint name="pivot" axis="0 1 0"/><geom size="0.1" pos="0 0 -1" wheels="4"/></body>
</worldbody>
<actuator><motor name="drive" joint="pivot"/></actuator>
<keyframe><key name="up" qpos="3"/></keyframe>
</mujoco>"""

    def write(self, text):
        path = self.folder / "model.xml"
        path.write_text(text)
        return str(path)

    def test_run(self):
        path = self.write(self.MODEL)
        done = cenic("run", path, "--duration", "0.1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"model.xml: 1 approximated, 2 ignored; 'cenic info' lists them")
        self.assertAlmostEqual(self.run_json(path, "--duration", "0.1", "--keyframe", "up")["final"]["q"][0], 3, delta=0.1)

    def test_info(self):
        path = self.write(self.MODEL)
        info = parse(cenic("info", path, "--json").stdout)
        self.assertEqual((info["dofs"], info["controls"], info["keyframes"]), (1, ["drive"], ["up"]))
        said = [(row["line"], row["severity"], row["count"]) for row in info["approximated"]]
        self.assertIn((2, "ignored", 1), said)
        self.assertIn((4, "ignored", 1), said)
        self.assertIn("model.xml:4: ignored: attribute wheels of <geom> is not known", cenic("info", path).stdout)

    def test_urdf_and_packages(self):
        folder = self.folder
        (folder / "parts").mkdir()
        (folder / "parts" / "part.obj").write_text(
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
        path = folder / "robot.urdf"
        path.write_text('<robot name="r"><link name="a"><collision><geometry>'
                        '<mesh filename="package://arm/part.obj"/></geometry></collision></link></robot>')
        self.fails(INPUT, r"robot.urdf:1: error: .*--package arm=DIR", "info", str(path))
        info = parse(cenic("info", str(path), "--json", "--package", f"arm={folder / 'parts'}").stdout)
        self.assertEqual(info["dofs"], 6)

    def test_mistakes(self):
        path = self.write(self.MODEL.replace('"0.1"', '"nan"'))
        self.fails(INPUT, r"model.xml:4: error: size: 'nan' is not a finite number", "run", path)
        path = self.write(self.MODEL)
        self.fails(INPUT, r"model.xml: error: there is no keyframe 'down'", "run", path, "--keyframe", "down")
        self.fails(INPUT, r"a file has no parameter 'links'", "info", path, "--set", "links=3")
        self.fails(USAGE, "name=folder", "info", path, "--package", "arm")
        path = self.write('<mujoco><include file="/etc/hostname"/></mujoco>')
        self.fails(INPUT, r"model.xml:1: error: .*--allow-path", "info", path)


class Scenarios(Case):
    SCENARIO = """duration: 0.25
accuracy: 1e-4
max_step: 0.01
error_norm: state
integrator: cenic-paper
seed: 9
bodies:
  - name: pole
    joints: [{name: pivot, kind: revolute, axis: [0, 1, 0], position: 0.5}]
    geometries: [{sphere: {radius: 0.1}, pose: {position: [0, 0, -1]}}]
systems:
  - {name: angle, type: joint_sensor, joints: [pivot]}
outputs:
  - {name: lean, signal: angle.position}
"""

    def write(self, text):
        path = self.folder / "model.yaml"
        path.write_text(text)
        return str(path)

    def test_settings_are_defaults(self):
        path = self.write(self.SCENARIO)
        r = self.run_json(path)
        self.assertEqual((r["duration"], r["accuracy"], r["error_norm"], r["integrator"], r["seed"]),
                         (0.25, 1e-4, "state", "cenic-paper", 9))
        self.assertLessEqual(r["step_max"], 0.01)
        r = self.run_json(path, "--duration", "0.5", "--accuracy", "1e-3", "--error-norm", "position", "--max-step", "0.1",
                          "--integrator", "cenic", "--seed", "2")
        self.assertEqual((r["duration"], r["accuracy"], r["error_norm"], r["integrator"], r["seed"]),
                         (0.5, 1e-3, "position", "cenic", 2))
        self.assertGreater(r["step_max"], 0.01)
        self.assertEqual(self.run_json(path, "--step", "0.005")["fixed_step"], 0.005)
        path = self.write(self.SCENARIO.replace("accuracy: 1e-4", "fixed_step: 0.005"))
        self.assertEqual(self.run_json(path)["fixed_step"], 0.005)
        self.assertEqual(self.run_json(path, "--accuracy", "1e-2")["accuracy"], 1e-2)

    def test_info(self):
        info = parse(cenic("info", self.write(self.SCENARIO), "--json").stdout)
        self.assertEqual(info["sensors"], {"lean": "angle.position"})

    def test_mistakes(self):
        path = self.write(self.SCENARIO.replace("kind: revolute", "kind: round").replace("seed", "sed"))
        done = cenic("run", path)
        self.assertEqual(done.returncode, INPUT)
        self.assertRegex(done.stderr, r"model.yaml:6:1: error: there is no key 'sed' here; did you mean 'seed'\?")
        self.assertRegex(done.stderr, r"model.yaml:9:34: error: 'round' is not one of revolute")
        path = self.write(self.SCENARIO.replace("cenic-paper", "euler"))
        self.fails(INPUT, "euler", "run", path)

    def test_convert_is_lossless(self):
        for scene in (["hard_clutter", "--set", "count=5", "--seed", "7"], ["conveyor"],
                      ["bouncing_ball", "--contact", "hydroelastic"]):
            path = self.folder / "out.yaml"
            done = cenic("convert", scene[0], path, *scene[1:])
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            self.assertEqual(self.run_json(*scene, "--duration", "0.3")["final"],
                             self.run_json(str(path), "--duration", "0.3")["final"])
            self.assertEqual(self.run_json(*scene)["duration"], self.run_json(str(path))["duration"])

    def test_convert_to_mjcf(self):
        path = self.folder / "out.xml"
        done = cenic("convert", "franka", path, "--json")
        self.assertEqual(done.returncode, 0)
        notes = {note["what"]: note["names"] for note in parse(done.stdout)["notes"]}
        self.assertEqual(notes["systems without a twin among MuJoCo's actuators are left out"], ["path", "arm_control"])
        self.assertIn("hydroelastic contact becomes contact in points: left_finger, right_finger, box", done.stderr)
        mine, theirs = (parse(cenic("info", s, "--json").stdout) for s in ("franka", str(path)))
        for key in ("bodies", "dofs", "geometries", "limits"):
            self.assertEqual(mine[key], theirs[key])
        self.assertAlmostEqual(mine["total_mass"], theirs["total_mass"], delta=1e-9)

    def test_convert_mistakes(self):
        self.fails(USAGE, "ends in .yaml", "convert", "conveyor", "out.txt")
        self.fails(USAGE, "OUTPUT", "convert", "conveyor")
        self.fails(INPUT, "no_such_scene", "convert", "no_such_scene", "out.yaml")
        self.fails(INPUT, "out.yaml", "convert", "conveyor", "/no/such/folder/out.yaml")


if __name__ == "__main__":
    BINARY, VERSION = os.path.abspath(sys.argv[1]), sys.argv[2]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
