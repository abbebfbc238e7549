// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// cenic for C++ users: models, files, simulation and external systems. Recordings, charts, the page
// and the built-in scenes have headers of their own: recording/recorder.h, plots/run_plots.h,
// viewer/live_view.h and scenes/scenes.h.
#pragma once

#include "core/error.h"
#include "loaders/load.h"
#include "model/model.h"
#include "model/model_spec.h"
#include "sim/lint.h"
#include "sim/simulator.h"
#include "systems/library/library.h"
#include "systems/system_io.h"
