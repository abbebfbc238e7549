#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Part of cenic.
"""Recordings, checkpoints, plots and the blow-up recorder of the real program: recording_test.py BINARY."""
import ast
import csv
import io
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import xml.dom.minidom
import zipfile

BINARY = ""
DONE, USAGE, INPUT, ACCURACY, INTERRUPTED = 0, 2, 3, 4, 130
CLOCK = {"wall_seconds", "real_time_rate", "phases"}


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def cenic(self, *arguments, code=DONE):
        done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=120, cwd=self.folder)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stdout}{done.stderr}")
        return done

    def run_json(self, *arguments):
        result = json.loads(self.cenic("run", *arguments, "--json").stdout)
        return {key: value for key, value in result.items() if key not in CLOCK}


class Record(Case):
    def test_does_not_change_the_run(self):
        plain = self.run_json("hard_clutter", "--duration", 1)
        recorded = self.run_json("hard_clutter", "--duration", 1, "--record", "a.h5", "--record", "a.npz", "--record",
                                 "a.mcap")
        self.assertEqual(plain, recorded)
        self.assertEqual({"a.h5", "a.npz", "a.mcap"}, set(os.listdir(self.folder)))

    def test_numpy_arrays(self):
        result = self.run_json("cart_pole", "--duration", 30, "--fps", 50, "--seed", 2**64 - 1, "--record", "a.npz")
        arrays = {}
        with zipfile.ZipFile(self.folder / "a.npz") as archive:
            self.assertIsNone(archive.testzip())
            for name in archive.namelist():
                data = archive.read(name)
                self.assertEqual(data[:8], b"\x93NUMPY\x01\x00")
                length = struct.unpack("<H", data[8:10])[0]
                self.assertEqual((10 + length) % 64, 0)
                header = ast.literal_eval(data[10:10 + length].decode())
                arrays[name] = (header["descr"], header["shape"], data[10 + length:])
        kind, shape, data = arrays["frames/time.npy"]
        self.assertEqual((kind, shape), ("<f8", (1501,)))
        for i, t in enumerate(struct.unpack("<1501d", data)):
            self.assertAlmostEqual(t, i / 50, 9)
        kind, shape, data = arrays["frames/q.npy"]
        self.assertEqual(list(struct.unpack(f"<{1501 * shape[1]}d", data)[-shape[1]:]), result["final"]["q"])
        kind, _, data = arrays["frames/step.npy"]
        steps = struct.unpack("<1501i", data)
        self.assertEqual((kind, steps[0], steps[-1]), ("<i4", 0, result["steps"]))
        self.assertEqual(list(steps), sorted(steps))
        self.assertEqual(arrays["steps/h.npy"][1], (result["steps"],))
        scene = json.loads(arrays["model/scene.npy"][2])
        self.assertEqual(len(scene["coordinates"]), shape[1])
        for name, value in ("seed", 2**64 - 1), ("format_version", 1), ("complete", 1):
            self.assertEqual((arrays[f"{name}.npy"][0], struct.unpack("<Q", arrays[f"{name}.npy"][2])[0]), ("<u8", value))

    def test_names_and_rates_that_make_no_sense(self):
        self.assertIn("name it .h5", self.cenic("run", "chain", "--record", "a.avi", code=INPUT).stderr)
        for rate in -3, "nan", "inf", "abc":
            self.assertIn("--fps", self.cenic("run", "chain", "--record", "a.h5", "--fps", rate, code=USAGE).stderr)
        for rate in ["--fps", 30], ["--every-step"]:  # of what?
            for more in [], ["--html", "a.html"], ["--csv", "a.csv"]:
                refused = self.cenic("run", "chain", "--duration", 0, *rate, *more, code=USAGE).stderr
                self.assertRegex(refused, f"{rate[0]} requires --record")
        self.assertEqual(os.listdir(self.folder), [])
        for name in "/nowhere/a.h5", "/nowhere/a.npz", "/nowhere/a.mcap":
            self.assertIn(f"{name}: error: cannot write",
                          self.cenic("run", "chain", "--record", name, code=INPUT).stderr)

    def test_files_of_one_name(self):
        (self.folder / "link").symlink_to(self.folder)
        for first, second in (("--record", "a.npz"), ("--record", "./a.npz")), (("--record", "a.npz"), ("--csv", "a.npz")), \
                (("--checkpoint", "a@1"), ("--html", self.folder / "a")), (("--record", "a.h5"), ("--blowup", "./a.h5")), \
                (("--record", "chain.blowup.h5"), ("--fps", 1)), (("--record", "a.h5"), ("--csv", "link/a.h5")):
            refused = self.cenic("run", "chain", *first, *second, code=USAGE).stderr
            self.assertIn(first[0], refused)
            self.assertIn("--blowup" if second[0] == "--fps" else second[0], refused)
            self.assertIn("would both write", refused)
        self.assertEqual(os.listdir(self.folder), ["link"])
        (self.folder / "null.npz").symlink_to("/dev/null")
        self.cenic("run", "chain", "--duration", 0, "--quiet", "--csv", "/dev/null", "--record", "null.npz")
        self.cenic("run", "chain", "--duration", 0, "--quiet", "--checkpoint", "c")
        self.cenic("run", "chain", "--duration", 0, "--quiet", "--checkpoint", "c", "--resume", "c")

    def test_nothing_is_lost_by_a_wrong_command_line(self):
        self.cenic("run", "bouncing_ball", "--duration", 0.1, "--quiet", "--record", "run.h5", "--checkpoint", "c")
        self.cenic("convert", "bouncing_ball", "s.xml")
        before = {path: path.read_bytes() for path in self.folder.iterdir()}
        record = ["run", "bouncing_ball", "--quiet", "--record", "run.h5"]
        for more in ["--csv", "x.csv", "--columns", "typo"], ["--record", "x.foo"], ["--record", "none/x.h5"], \
                ["--html", "none/x.html"], ["--resume", "s.xml"], ["--record", "."], ["--resume", "."]:
            self.cenic(*record, *more, code=INPUT)
        for wrong in ["run", "s.xml", "--csv", "s.xml"], ["run", "s.xml", "--checkpoint", "./s.xml"], \
                ["run", "bouncing_ball", "--resume", "c", "--csv", "c"], ["plot", "run.h5", "--out", "run.h5"], \
                ["compare", "run.h5", "run.h5", "--out", "./run.h5"], ["plot", "run.h5", "--out", "run.png"]:
            refused = self.cenic(*wrong, code=USAGE).stderr
            self.assertRegex(refused, "write over|SVG")
        self.assertEqual({path: path.read_bytes() for path in self.folder.iterdir()}, before)
        self.cenic("run", "bouncing_ball", "--duration", 0, "--quiet", "--checkpoint", "bouncing_ball")  # no input

    def test_settings_and_models_are_told_apart(self):
        for name, options in ("a.h5", []), ("b.H5", ["--max-step", 0.01, "--error-norm", "state", "--set", "mu_static=0.4"]):
            self.cenic("run", "sliding_block", "--duration", 0.1, "--quiet", "--record", name, *options)
        table = self.cenic("compare", "a.h5", "b.H5").stdout
        for word in "model", "max_step=0.01", "error_norm=state", "mu_static=0.4":
            self.assertIn(word, table)
        same = self.cenic("compare", "a.h5", "a.h5").stdout
        self.assertNotIn("model", same)

    def test_killed_and_interrupted_runs_leave_their_frames(self):
        for end, note in (signal.SIGKILL, True), (signal.SIGINT, False), (signal.SIGTERM, False), (signal.SIGHUP, False):
            path = self.folder / "long.h5"
            child = subprocess.Popen([BINARY, "run", "hard_clutter", "--duration", "1e6", "--quiet", "--record", path],
                                     stderr=subprocess.DEVNULL)
            time.sleep(1)
            child.send_signal(end)
            self.assertEqual(child.wait(60), -9 if note else INTERRUPTED)
            done = self.cenic("plot", path)
            self.assertEqual("what was flushed" in done.stderr, note)
            self.assertIn("0: the same", self.cenic("compare", path, path).stdout)

    def test_files_are_completed_though_somebody_wants_to_end(self):
        """The first signal ends a run in order: one that comes when it has ended changes nothing."""
        path = self.folder / "pipe.npz"  # written at the end alone, and no faster than it is read
        os.mkfifo(path)
        child = subprocess.Popen([BINARY, "run", "hard_clutter", "--duration", "10", "--quiet", "--record", path, "--csv", self.folder / "a.csv"])
        with open(path, "rb") as pipe:
            content = pipe.read(1)
            child.send_signal(signal.SIGTERM)
            time.sleep(0.1)
            content += pipe.read()
        self.assertEqual(child.wait(60), DONE)
        self.assertIsNone(zipfile.ZipFile(io.BytesIO(content)).testzip())
        self.assertTrue((self.folder / "a.csv").exists())

    def test_a_full_disk_loses_nothing_else(self):
        def limit():  # files of 30 MB; a larger one is an error, not a signal
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (30000000, 30000000))

        for option, name, kept in ("--record", "a.h5", "a.h5"), ("--record", "a.mcap", "a.mcap"), ("--csv", "a.csv", "a.csv.partial"):
            done = subprocess.run([BINARY, "run", "hard_clutter", "--duration", "1e5", "--json", "--checkpoint", "c", option, name],
                                  capture_output=True, text=True, timeout=120, cwd=self.folder, preexec_fn=limit)
            self.assertEqual(done.returncode, INPUT, done.stderr)
            self.assertRegex(done.stderr, f"^{name}: error: cannot write[^\n]*: File too large")
            self.assertEqual(done.stderr.count("error"), 1)
            result = json.loads(done.stdout)  # of the run until then
            self.assertIn(name, result["failure"])
            self.assertTrue(0.1 < result["time"] < 1e5)
            self.assertGreater(os.path.getsize(self.folder / kept), 29000000)
            self.assertEqual(set(os.listdir(self.folder)), {"c", kept})
            resumed = self.run_json("hard_clutter", "--resume", "c", "--duration", result["time"])
            self.assertEqual(resumed["final"]["q"], result["final"]["q"])
            if name == "a.h5":
                self.assertIn("what was flushed", self.cenic("plot", name).stderr)
                os.remove(self.folder / "a.svg")
            os.remove(self.folder / kept)

    def test_chosen_columns(self):
        self.cenic("run", "box_stack", "--duration", 0.5, "--quiet", "--csv", "a.csv", "--columns",
                   "t,energy,q:box_1,force:box_1,penetration")
        with open(self.folder / "a.csv", newline="") as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows[0], ["t", "energy", *(f"q:box_1[{i}]" for i in range(7)), "force:box_1.x", "force:box_1.y",
                                   "force:box_1.z", "penetration"])
        self.assertEqual(float(rows[-1][0]), 0.5)
        columns = [["--columns", "q:box_1_free"], ["--columns", " t , q:box_1_free[6],v:box_1[5] "], ["--columns=y:path.reference"]]
        headers = []
        for scene, column in zip(("box_stack", "box_stack", "franka"), columns):
            out = self.cenic("run", scene, "--duration", 0.1, "--csv", "-", *column).stdout  # standard output, no table
            headers.append(next(csv.reader(out.splitlines())))
            self.assertEqual(out.count("step size"), 0)
        self.assertEqual(headers[0], [f"q:box_1_free[{i}]" for i in range(7)])
        self.assertEqual(headers[1], ["t", "q:box_1_free[6]", "v:box_1[5]"])
        self.assertGreater(len(headers[2]), 1)
        one = self.cenic("run", "franka", "--duration", 0.1, "--csv", "-", "--columns", f"y:{headers[2][1]}").stdout
        self.assertEqual(one.splitlines()[0], f'"{headers[2][1]}"')
        for columns in "", " ", "t,,h":
            self.assertIn("give some, separated by commas", self.cenic("run", "box_stack", "--csv", "a.csv", "--columns",
                                                                       columns, code=USAGE).stderr)
        for other in "--json", "--view=0":
            self.assertIn("standard output", self.cenic("run", "chain", "--csv", "-", other, code=USAGE).stderr)
        self.assertEqual(os.listdir(self.folder), ["a.csv"])
        self.assertIn("there is no 'speed'", self.cenic("run", "box_stack", "--csv", "a.csv", "--columns", "speed",
                                                        code=INPUT).stderr)


class Plot(Case):
    def test_charts_are_xml_and_say_what_they_show(self):
        self.cenic("run", "box_stack", "--duration", 1, "--quiet", "--record", "a.h5")
        self.cenic("plot", "a.h5", "--body", "box_1", "--columns", "q:box_1_free[6],v:box_1_free[5]")
        text = (self.folder / "a.svg").read_text()
        xml.dom.minidom.parseString(text)
        for words in "step size, s", "energy, J", "real-time rate", "contact force on 'box_1', N", "q:box_1_free[6]":
            self.assertIn(words, text)
        for name, accuracy in ("b.h5", 1e-2), ("c.h5", 1e-6):
            self.cenic("run", "chain", "--duration", 1, "--quiet", "--record", name, "--accuracy", accuracy)
        table = self.cenic("compare", "b.h5", "c.h5", "--out", "both.svg").stdout
        difference = float(re.search(r"largest \|dq\| +([0-9.e-]+) (?:m|rad) at '", table)[1])
        self.assertTrue(1e-5 < difference < 0.3, table)
        self.assertIn("same model", self.cenic("compare", "a.h5", "b.h5", code=INPUT).stderr)
        xml.dom.minidom.parseString((self.folder / "both.svg").read_text())
        self.assertIn("0: the same", self.cenic("compare", "a.h5", "a.h5").stdout)
        self.cenic("plot", "a.h5", "--png", "--out", "c.svg")
        self.assertEqual((self.folder / "c.png").read_bytes()[:4], b"\x89PNG")
        # Names that are options, no text, or of a recording.
        odd = "-\x01.h5"
        shutil.copy(self.folder / "a.h5", self.folder / odd)
        self.cenic("plot", "--png", "--", odd)
        xml.dom.minidom.parseString((self.folder / "-\x01.svg").read_text())
        shutil.copy(self.folder / "a.h5", self.folder / "run.png")
        self.assertIn("write over the recording 'run.png'", self.cenic("plot", "run.png", "--png", code=USAGE).stderr)
        for name in ("a.h5", "./a.h5"):
            self.assertIn("this is a recording: ", self.cenic("run", name, code=INPUT).stderr)

    def test_names_mean_what_they_mean_in_csv_files(self):
        self.cenic("run", "franka", "--duration", 0.1, "--quiet", "--record", "a.h5")
        for columns, count in ("q:box_free", 7), ("q:link3,v:link3", 2), ("q:box_free[0] , v:box_free", 7), ("y:path.reference,", 14), ("y:path", 14):
            self.cenic("plot", "a.h5", "--columns", columns)
            self.assertEqual(len(re.findall(r">[qvy]:", (self.folder / "a.svg").read_text())), count, columns)
        self.assertIn("give some", self.cenic("plot", "a.h5", "--columns", "", code=USAGE).stderr)
        # Names with commas and quotes, and two slides without a name.
        (self.folder / "odd.xml").write_text("""<mujoco><worldbody>
            <body name="cart"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><geom size="0.1"/></body>
            <body><joint name='a,b "c"'/><geom size="0.1" pos="1 0 0"/></body></worldbody></mujoco>""")
        table = self.cenic("run", "odd.xml", "--duration", 0.1, "--quiet", "--csv", "-", "--record", "odd.h5", "--columns",
                           't, "q:a,b ""c""",q:cart').stdout
        self.assertEqual(next(csv.reader(table.splitlines())), ["t", 'q:a,b "c"', "q:cart[0]", "q:cart[1]"])
        self.cenic("plot", "odd.h5", "--columns", '"v:a,b ""c""",v:cart[1]')
        self.assertEqual(re.findall(r">(v:[^<]*),", (self.folder / "odd.svg").read_text()), ['v:a,b "c"', "v:cart[1]"])

    def test_names_that_are_not_there(self):
        """The same is said of a table and of a chart."""
        for scene, columns, words in ("box_stack", "q:nosuch", "coordinate 'nosuch'; there are box_0_free, box_1_free,"), \
                ("box_stack", "q:box_3[9]", "coordinate 'box_3[9]'; 'box_3' has 7, [0] to [6]"), \
                ("box_stack", "v:box_3_free[6]", "velocity 'box_3_free[6]'; 'box_3_free' has 6, [0] to [5]"), \
                ("box_stack", "z:pid", "state 'pid'; there are none"), ("franka", "y:path.ref", "output 'path.ref'; there are "):
            name = f"{scene}.h5"
            self.cenic("run", scene, "--duration", 0.1, "--quiet", "--record", name)
            for verb in ("run", scene, "--csv", "a.csv"), ("plot", name):
                refused = self.cenic(*verb, "--columns", columns, code=INPUT)
                self.assertIn(f"there is no {words}", refused.stderr)
                self.assertEqual(refused.stderr.count("\n"), 1)
        self.assertIn("there is no body 'horse'; there are box_0, box_1,",
                      self.cenic("run", "box_stack", "--csv", "a.csv", "--columns", "force:horse", code=INPUT).stderr)
        for columns, count in ("q:box_3", 7), ("v:box_3[5]", 1), ("q:box_3_free[0],v:box_3_free", 7):
            self.cenic("plot", "box_stack.h5", "--columns", columns)
            self.assertEqual(len(re.findall(r">[qv]:", (self.folder / "box_stack.svg").read_text())), count, columns)

    def test_comparison_says_how_the_runs_differ(self):
        run = "run", "box_stack", "--duration", 0.5, "--quiet", "--record"
        self.cenic(*run, "a.h5")
        self.cenic(*run, "b.h5", "--step", 0.005, "--contact", "hydroelastic", "--set", "hydroelastic.modulus=1e6")
        table = self.cenic("compare", "a.h5", "b.h5").stdout
        for row in r"accuracy +0.001 +-", r"step, s +- +0.005", r"contact model +- +hydroelastic", \
                   r"settings +- +hydroelastic.modulus=1e6", r"largest \|dq\| .* m at 'box_\d_free\[6\]'", \
                   r"largest \|dv\| .* m/s at 'box_\d_free\[5\]'":
            self.assertRegex(table, row)
        self.assertNotIn("commit", table)
        result = json.loads(self.cenic("compare", "a.h5", "b.h5", "--json", "--out", "x.svg").stdout)
        self.assertEqual(result["files"], ["x.svg"])
        a, b = result["a"], result["b"]
        self.assertEqual((a["accuracy"], a["fixed_step"], a["contact"], a["settings"]), (1e-3, None, None, []))
        self.assertEqual((b["accuracy"], b["fixed_step"], b["contact"], b["settings"]),
                         (None, 0.005, "hydroelastic", ["hydroelastic.modulus=1e6"]))
        for kind, unit in ("coordinate", "m"), ("velocity", "m/s"):
            self.assertIn(f"{result[kind]['value']:.6g} {unit} at '{result[kind]['name']}'", table)
            self.assertEqual(result[kind]["unit"], unit)
        same = self.cenic("compare", "a.h5", "a.h5", "--out", "x.svg").stdout
        self.assertNotIn("step, s", same)
        self.assertNotIn("contact model", same)
        self.assertNotIn("difference", (self.folder / "x.svg").read_text())  # nothing to draw
        self.assertIsNone(json.loads(self.cenic("compare", "a.h5", "a.h5", "--json").stdout)["coordinate"]["name"])

    def test_comparison_at_other_frame_rates(self):
        run = "run", "conveyor", "--quiet", "--accuracy"
        self.cenic(*run, 1e-1, "--record", "a.h5")
        for name, rate in ("same.h5", ["--fps", 60]), ("all.h5", ["--every-step"]), ("odd.h5", ["--fps", 59]), \
                          ("twice.h5", ["--fps", 120]):
            self.cenic(*run, 1e-5, "--record", name, *rate)
        found = {name: json.loads(self.cenic("compare", "a.h5", f"{name}.h5", "--json").stdout)
                 for name in ("same", "all", "odd", "twice")}
        for name, result in found.items():
            self.assertEqual((result["times"], result["interpolated"]), (178 if name == "odd" else 181, name in ("all", "odd")), name)
            self.assertAlmostEqual(result["coordinate"]["value"], found["same"]["coordinate"]["value"], msg=name, delta=1e-3)
        self.assertIn("interpolated", self.cenic("compare", "a.h5", "all.h5").stdout)
        # The same run with fewer frames: in either order the finer one is interpolated.
        self.cenic(*run, 1e-1, "--record", "few.h5", "--fps", 7)
        pairs = [json.loads(self.cenic("compare", *names, "--json").stdout) for names in (("a.h5", "few.h5"), ("few.h5", "a.h5"))]
        self.assertEqual([pair["coordinate"] for pair in pairs][0], pairs[1]["coordinate"])
        self.assertLess(pairs[0]["coordinate"]["value"], 0.01)
        # Two pieces of a run.
        self.cenic("run", "conveyor", "--quiet", "--duration", 1, "--checkpoint", "c", "--record", "first.h5")
        self.cenic("run", "conveyor", "--quiet", "--duration", 2, "--resume", "c", "--record", "second.h5")
        pieces = self.cenic("compare", "first.h5", "second.h5").stdout
        self.assertIn("\n1 time, at 1 s\n", pieces)
        self.assertIn("0: the same", pieces)

    def test_charts_are_svg(self):
        self.cenic("run", "chain", "--duration", 0.1, "--quiet", "--record", "a.h5")
        for name in "x.pdf", "x.png", "x.svg.gz", "x.json":
            for verb in ("plot", "a.h5"), ("compare", "a.h5", "a.h5"):
                refused = self.cenic(*verb, "--out", name, code=USAGE)
                self.assertIn(f"--out {name}: charts are SVG", refused.stderr)
                self.assertEqual(refused.stdout, "")
        self.assertEqual(os.listdir(self.folder), ["a.h5"])
        for name in "x.svg", "y.SVG", "/dev/null":
            self.cenic("plot", "a.h5", "--out", name)

    def test_files_of_one_name_are_told_apart(self):
        for folder, more in ("A", ["--accuracy", 1e-2]), ("B", ["--step", 0.01]):
            (self.folder / folder).mkdir()
            self.cenic("run", "chain", "--duration", 0.5, "--quiet", "--record", f"{folder}/run.h5", *more)
        table = self.cenic("compare", "A/run.h5", "B/run.h5", "--out", "x.svg").stdout
        self.assertRegex(table, "^ +A/run.h5 +B/run.h5\n")
        text = (self.folder / "x.svg").read_text()
        for words in ">A/run.h5 and B/run.h5<", ">A/run.h5: ", ">B/run.h5: ":
            self.assertEqual(text.count(words), 1)
        # Of step size, error, energy and rate; a fixed step has no error.
        self.assertEqual([text.count(f"━ {name}/run.h5<") for name in "AB"], [4, 3])

    def test_bad_recordings(self):
        (self.folder / "text.h5").write_text("hello")
        (self.folder / "empty.h5").write_text("")
        self.cenic("run", "chain", "--duration", 0.5, "--quiet", "--record", "a.h5")
        good = (self.folder / "a.h5").read_bytes()
        (self.folder / "cut.h5").write_bytes(good[:len(good) // 2])
        for name in "text.h5", "empty.h5", "cut.h5", "missing.h5":
            for verb in ("plot", name), ("compare", "a.h5", name):
                self.assertIn(f"{name}: error: ", self.cenic(*verb, code=INPUT).stderr)
        for name in "a.npz", "a.mcap":
            self.cenic("run", "chain", "--duration", 0.1, "--quiet", "--record", name)
            for verb in ("plot", name), ("compare", "a.h5", name):
                self.assertIn(f"{name}: error: of recordings only .h5 can be read back; record with",
                              self.cenic(*verb, code=INPUT).stderr)
        (self.folder / "a.npz").write_bytes(good)  # by any name
        self.assertIn("0: the same", self.cenic("compare", "a.h5", "a.npz").stdout)
        for name, body in ("--body", "horse"), ("--columns", "q:horse"):
            self.assertIn("there is no", self.cenic("plot", "a.h5", name, body, code=INPUT).stderr)


class Checkpoint(Case):
    def check(self, *scene):
        whole = self.run_json(*scene, "--duration", 2)
        saving = self.run_json(*scene, "--duration", 2, "--checkpoint", "x@0.7")
        self.assertEqual(whole, saving)
        # The file holds the end now; a run that is stopped on its way leaves the one before.
        self.run_json(*scene, "--duration", 2, "--checkpoint", "y@0.7")
        self.assertEqual(whole, self.run_json(*scene, "--duration", 2, "--resume", "y"))
        # From the middle, in a process of its own.
        first = self.run_json(*scene, "--duration", 1, "--checkpoint", "z")
        self.assertEqual(first["time"], 1)
        one = self.run_json(*scene, "--duration", 2, "--resume", "z", "--checkpoint", "one")
        two = self.run_json(*scene, "--duration", 2, "--resume", "z", "--checkpoint", "two")
        self.assertEqual(one, two)
        self.assertGreater(one["steps"], first["steps"])
        self.assertEqual(one["time"], 2)

    def test_clutter(self):
        self.check("hard_clutter")

    def test_arm(self):
        self.check("franka")

    def test_killed_runs_go_on_bit_for_bit(self):
        """With checkpoints at times that only a kill shows: the run's own file is at its end."""
        whole = self.run_json("clutter", "--duration", 6)
        path = self.folder / "k"
        child = subprocess.Popen([BINARY, "run", "clutter", "--duration", "6", "--quiet", "--checkpoint", f"{path}@0.3"])
        while not path.exists() and child.poll() is None:
            time.sleep(0.01)
        child.kill()
        child.wait(60)
        self.assertEqual(whole, self.run_json("clutter", "--duration", 6, "--resume", "k"))

    def test_intervals_and_names(self):
        # An interval shorter than a step: every step. What stands behind an @ in a folder's name is a name.
        (self.folder / "d@x").mkdir()
        self.cenic("run", "bouncing_ball", "--duration", 0.1, "--quiet", "--checkpoint", "d@x/c")
        self.cenic("run", "bouncing_ball", "--duration", 0.1, "--quiet", "--checkpoint", "d@x/e@1e-20")
        ends = [self.run_json("bouncing_ball", "--duration", 1, "--resume", name) for name in ("d@x/c", "d@x/e")]
        self.assertEqual(ends[0], ends[1])
        self.assertIn("FILE@SECONDS", self.cenic("run", "chain", "--checkpoint", "@0.5", code=USAGE).stderr)

    def test_beyond_the_duration(self):
        self.run_json("chain", "--duration", 4, "--checkpoint", "x")
        (self.folder / "old.h5").write_text("old")
        refused = self.cenic("run", "chain", "--duration", 2, "--resume", "x", "--record", "old.h5", "--csv", "a.csv",
                             code=INPUT)
        self.assertRegex(refused.stderr, r"^x: error: the checkpoint is at 4 s, beyond --duration 2; ")
        self.assertEqual(refused.stdout, "")
        self.assertEqual({"x", "old.h5"}, set(os.listdir(self.folder)))
        self.assertEqual((self.folder / "old.h5").read_text(), "old")
        self.assertEqual(self.run_json("chain", "--duration", 4, "--resume", "x")["time"], 4)  # nothing to do

    def test_refusals(self):
        self.run_json("chain", "--duration", 0.5, "--checkpoint", "x")
        for arguments, words in (("chain", "--accuracy", 1e-5), "accuracy"), (("double_pendulum",), "another model"), \
                                (("chain", "--set", "links=3"), "another model"):
            self.assertIn(words, self.cenic("run", *arguments, "--resume", "x", code=INPUT).stderr)
        good = (self.folder / "x").read_bytes()
        for bad in b"", b"hello", good[:100], good[:-1], good[:60] + b"!" + good[61:]:
            (self.folder / "bad").write_bytes(bad)
            self.assertIn("bad: error: ", self.cenic("run", "chain", "--resume", "bad", code=INPUT).stderr)
        self.assertIn("missing: error: ", self.cenic("run", "chain", "--resume", "missing", code=INPUT).stderr)
        self.cenic("run", "chain", "--checkpoint", "x@soon", code=USAGE)
        for place in "missing/x", ".":  # said before the run
            refused = self.cenic("run", "chain", "--checkpoint", place, code=INPUT)
            self.assertIn(f"{place}: error: cannot write the checkpoint", refused.stderr)
            self.assertEqual(refused.stdout, "")
        self.assertEqual((self.folder / "x").read_bytes(), good)
        self.assertIn("cvode", self.cenic("run", "double_pendulum", "--integrator", "cvode", "--checkpoint", "x",
                                        code=INPUT).stderr)


class BlowUp(Case):
    FAILS = ("run", "hard_clutter", "--accuracy", "1e-9", "--set", "integrator.min_step=0.02", "--quiet")

    def test_the_last_second_is_kept(self):
        done = self.cenic(*self.FAILS, code=ACCURACY)
        self.assertIn("hard_clutter.blowup.h5", done.stderr)
        self.assertIn("cenic view", done.stderr)
        self.cenic("plot", "hard_clutter.blowup.h5")
        reason = re.search(r"error: (at t = .{40})", done.stderr)[1]
        self.assertIn(f"failed: {reason}", (self.folder / "hard_clutter.blowup.svg").read_text())
        both = "hard_clutter.blowup.h5", "hard_clutter.blowup.h5"
        self.assertIn(f"failed: {reason}", self.cenic("compare", *both, "--out", "both.svg").stdout)
        self.assertIn(f"failed: {reason[:20]}", (self.folder / "both.svg").read_text())
        self.cenic(*self.FAILS, "--blowup", "mine.h5", code=ACCURACY)
        self.assertTrue((self.folder / "mine.h5").exists())

    def test_the_advice_can_be_pasted(self):
        for name in "two words.h5", "it's $HOME.h5", "-dash.h5", "plain-1.hdf5":
            done = self.cenic(*self.FAILS, f"--blowup={name}", code=ACCURACY)
            advised = re.search(r"^  cenic plot (.*)$", done.stderr, re.MULTILINE)[1]
            self.assertEqual("'" in advised, " " in name)
            (word,) = shlex.split(advised)
            self.cenic("plot", word)

    def test_places_that_cannot_be_written_are_known_before_the_run(self):
        (self.folder / "folder.h5").mkdir()
        (self.folder / "old.h5").write_text("old")
        for name, words in ("x.npz", "name it .h5"), ("x", "name it .h5"), ("missing/x.h5", "No such file"), \
                           ("folder.h5", "it is a folder"), ("old.h5/x.h5", "Not a directory"):
            refused = self.cenic(*self.FAILS, "--blowup", name, code=INPUT)
            self.assertRegex(refused.stderr, f"^{name}: error: .*{words}")
            self.assertNotIn("accuracy", refused.stderr)
        self.cenic("run", "chain", "--duration", 0, "--quiet", "--blowup", "old.h5")
        self.assertEqual((self.folder / "old.h5").read_text(), "old")
        self.assertEqual({"folder.h5", "old.h5"}, set(os.listdir(self.folder)))

    def test_none_when_not_wanted(self):
        self.cenic(*self.FAILS, "--blowup", "none", code=ACCURACY)
        self.cenic("run", "chain", "--duration", 0.1, "--quiet")
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    BINARY = sys.argv.pop(1)
    unittest.main()
