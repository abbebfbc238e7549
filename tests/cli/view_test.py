#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Part of cenic.
"""What the command line does for the page in the browser: view_test.py BINARY [unittest options]."""
import base64
import os
import re
import shutil
import signal
import subprocess
import sys
import unittest
import zipfile
import zlib

import cli_test
from cli_test import INPUT, INTERRUPTED, USAGE, Case, cenic, has_page, parse


class Page(Case):
    def test_replay_page_does_not_say_where_files_are(self):
        if not has_page():
            self.skipTest("there is no page")
        model, page = self.folder / "ball.xml", self.folder / "replay.html"
        model.write_text("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>")
        self.run_json(model, "--duration", 0.1, "--html", page)
        self.assertIn(f"{self.folder.name}/ball.xml, cenic", page.read_text())
        self.assertNotIn(str(self.folder), page.read_text())

    def test_replay_page(self):
        path = self.folder / "replay.html"
        if not has_page():
            self.fails(INPUT, "page for the browser.*npm", "run", "hard_clutter", "--html", path)
            self.fails(INPUT, "page for the browser.*npm", "view", "hard_clutter", "--no-open")
            self.assertEqual(os.listdir(self.folder), [])
            return
        recorded, plain = self.run_json("hard_clutter", "--html", path), self.run_json("hard_clutter")
        self.assertEqual(recorded["final"], plain["final"])  # recording changes nothing
        text = path.read_text()
        self.assertLess(len(text), 3_000_000)
        scene = parse(re.search(r'<script id="scene" type="application/json">(.*?)</script>', text, re.DOTALL).group(1))
        self.assertEqual((len(scene["bodies"]), len(scene["geometries"])), (20, 25))
        frames = zlib.decompress(base64.b64decode(re.search(r'<script id="frames" type="text/plain">(.*?)<', text).group(1)))
        size = int.from_bytes(frames[:4], "little")
        head = parse(frames[4:4 + size])
        self.assertEqual((head["frames"], head["poses"]), (601, 20 * 7))
        counts = {column["name"]: column["count"] for column in head["columns"]}
        self.assertEqual((counts["channels"], counts["steps"]), (601 * 20 * 7, 4 * recorded["steps"]))

    def test_a_watched_run_is_complete_when_it_ends(self):
        """Before Ctrl-C, for which only the page waits."""
        if not has_page():
            self.skipTest("the program has no page for the browser")
        failing = ["hard_clutter", "--accuracy", "1e-9", "--set", "integrator.min_step=1e-3", "--blowup", "none"]
        for scene, code in (["bouncing_ball", "--duration", "0.2"], 0), (["franka", "--duration", "0"], 0), (failing, 4):
            files = [str(self.folder / f"watched.{kind}") for kind in ("csv", "html", "npz")]
            process = subprocess.Popen([cli_test.BINARY, "run", *scene, "--view=0", "--json", "--csv", files[0], "--html", files[1], "--record", files[2]],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertRegex(process.stdout.readline(), r"^http://localhost:\d+/$")
            text = ""
            while not text.endswith("\n}\n"):
                text += process.stdout.readline()
            self.assertEqual("failure" in parse(text), code == 4)
            with zipfile.ZipFile(files[2]) as recording:
                self.assertIsNone(recording.testzip())
            for file in files:
                self.assertGreater(os.path.getsize(file), 0)
                os.remove(file)
            self.assertIsNone(process.poll())
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, code)

    def test_view_ends_with_ctrl_c(self):
        if not has_page():
            self.skipTest("the program has no page for the browser")
        recording = str(self.folder / "run.h5")
        cenic("run", "bouncing_ball", "--duration", "0.2", "--quiet", "--record", recording)
        other_name = shutil.copy(recording, self.folder / "recording")
        for arguments in (["view", "bouncing_ball", "--no-open", "--port", "0"], ["run", "bouncing_ball", "--view=0"],
                          ["view", recording, "--no-open", "--port", "0"], ["view", other_name, "--no-open", "--port", "0"]):
            process = subprocess.Popen([cli_test.BINARY, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertRegex(process.stdout.readline(), r"^http://localhost:\d+/$")
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
            if arguments[0] == "view":
                self.assertEqual((process.returncode, errors), (0, "Ctrl-C ends.\n"))
            else:  # the run is not over
                self.assertRegex(errors, r"^Ctrl-C ends\.\nbouncing_ball: interrupted at t = \S+ s\n$")
                self.assertEqual(process.returncode, INTERRUPTED)
        self.fails(INPUT, "no network address", "view", "bouncing_ball", "--no-open", "--address", "nowhere")
        self.fails(INPUT, "port is 70000", "view", "bouncing_ball", "--no-open", "--port", "70000")
        self.fails(USAGE, "give a port", "run", "bouncing_ball", "--view=here")

    def test_view_says_which_recordings_it_shows(self):
        names = [self.folder / f"run.{ending}" for ending in ("h5", "npz", "mcap")]
        cenic("run", "bouncing_ball", "--duration", "0.2", "--quiet", *(f"--record={name}" for name in names))
        for name in names[1:]:
            self.fails(INPUT, f"^{name}: error: of recordings only .h5 can be viewed; record with .*--record FILE.h5", "view", name)
        for option in ["--seed=3"], ["--set", "mass=2"], ["--contact", "point"], ["--accuracy", "1e-3"], ["--paused"]:
            self.fails(USAGE, f"{option[0].split('=')[0]}: a recording is shown as it is", "view", names[0], *option)
        self.assertIn("recording (.h5)", cenic("view", "--help").stdout)


if __name__ == "__main__":
    cli_test.BINARY = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
