#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Part of cenic.
"""What the mujoco package says of a model: mujoco_reference.py MODEL.xml OUT.json.

Sizes, names, masses, and at 20 random states (fewer of large models) the mass matrix, bias forces and forces of actuators and tendons.
mjcf_mujoco_test.cpp compares them with ours. Without arguments: exits with 0 when the package is there."""
import json
import sys

import mujoco
import numpy as np

if len(sys.argv) == 1:
    sys.exit(0)

m = mujoco.MjModel.from_xml_path(sys.argv[1])
d = mujoco.MjData(m)
random = np.random.default_rng(7)

# Contacts and limits make no part of what is compared, nor do springs and dampers of joints.
m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
for name in dir(m):
    if name.startswith(("jnt_stiffness", "dof_damping")):
        getattr(m, name)[:] = 0


def names(kind, count):
    return [mujoco.mj_id2name(m, kind, i) or "" for i in range(count)]


def positions():
    q = random.uniform(-1, 1, m.nq)
    for j in range(m.njnt):
        at = m.jnt_qposadr[j] + {0: 3, 1: 0}.get(int(m.jnt_type[j]), -1)
        if int(m.jnt_type[j]) < 2:
            q[at:at + 4] /= np.linalg.norm(q[at:at + 4])
    return q


# Names of the states of an actuator, as ours are called.
def states(i):
    activation = ["activation"] if int(m.actuator_dyntype[i]) else []
    if hasattr(m, "actuator_plugin") and m.actuator_plugin[i] >= 0:
        at = m.plugin_attradr[m.actuator_plugin[i]]
        kp, ki, kd, imax, slewmax = bytes(m.plugin_attr[at:].tolist()).split(b"\0")[:5]
        return ["integral"] * (float(ki or 0) != 0) + ["setpoint"] * (slewmax != b"") + activation
    pid = getattr(mujoco.mjtDyn, "mjDYN_PID", None)
    if pid is not None and m.actuator_dyntype[i] == pid:
        integral = ["integral"] if m.actuator_gainprm[i][0] != 0 else []
        return ["setpoint"] * (int(m.actuator_actnum[i]) - len(integral)) + integral
    return activation


def sample():
    d.qpos[:] = positions()
    d.qvel[:] = random.uniform(-2, 2, m.nv)
    limited = m.actuator_ctrllimited.astype(bool)
    d.ctrl[:] = random.uniform(np.where(limited, m.actuator_ctrlrange[:, 0], -1),
                               np.where(limited, m.actuator_ctrlrange[:, 1], 1))
    d.act[:] = random.uniform(-1, 1, m.na)
    d.time = 1  # of a PID: its first step is over
    mujoco.mj_forward(m, d)
    M = np.zeros((m.nv, m.nv))
    try:
        mujoco.mj_fullM(m, M, d.qM)
    except (AttributeError, TypeError):  # from version 4 on
        mujoco.mj_fullM(m, d, M)
    gravcomp = getattr(d, "qfrc_gravcomp", np.zeros(m.nv))
    return {"qpos": d.qpos.tolist(), "qvel": d.qvel.tolist(), "ctrl": d.ctrl.tolist(), "act": d.act.tolist(),
            "M": M.ravel().tolist(), "bias": (d.qfrc_bias - gravcomp).tolist(),
            "force": (d.qfrc_actuator + d.qfrc_passive - gravcomp).tolist(), "act_dot": d.act_dot.tolist()}


most = 20 if m.nv == 0 else min(20, max(1, int(5e5 / m.nv**2)))
types = mujoco.mjtObj
json.dump({"version": mujoco.__version__, "nq": m.nq, "nv": m.nv, "mass": float(m.body_subtreemass[0]),
           "joints": names(types.mjOBJ_JOINT, m.njnt), "bodies": names(types.mjOBJ_BODY, m.nbody)[1:],
           "geoms": [n for n, t in zip(names(types.mjOBJ_GEOM, m.ngeom), m.geom_type)
                     if t != mujoco.mjtGeom.mjGEOM_HFIELD],
           "qposadr": m.jnt_qposadr.tolist(), "dofadr": m.jnt_dofadr.tolist(),
           "states": [states(i) for i in range(len(m.actuator_dyntype))],
           "ctrlnum": getattr(m, "actuator_ctrlnum", np.ones(m.nu, int)).tolist(),
           "ellipsoids": bool(np.any(m.geom_fluid != 0)), "soft": getattr(m, "nflex", 0) > 0, "meshes": m.nmesh > 0, "samples": [sample() for _ in range(most)]},
          open(sys.argv[2], "w"))
