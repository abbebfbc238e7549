// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// All systems that cenic brings; docs/systems.md has them in one table.
#pragma once

#include "systems/library/actuators.h"
#include "systems/library/adhesion.h"
#include "systems/library/body_forces.h"
#include "systems/library/frame_sensors.h"
#include "systems/library/joint_control.h"
#include "systems/library/medium.h"
#include "systems/library/range_finder.h"
#include "systems/library/sensors.h"
#include "systems/library/signals.h"
#include "systems/library/suction_cup.h"
#include "systems/library/task_space_control.h"
#include "systems/library/trajectory.h"
#include "systems/library/transmission.h"
