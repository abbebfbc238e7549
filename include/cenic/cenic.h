// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// cenic for C++ users: everything in one header.
#pragma once

#include "core/error.h"
#include "loaders/load.h"
#include "model/model.h"
#include "model/model_spec.h"
#include "sim/lint.h"
#include "sim/simulator.h"
#include "systems/library/library.h"
#include "systems/system_io.h"
