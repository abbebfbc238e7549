// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// cenic view: a scene in the browser, to look at and to play with, or a recording.
#include "cli/view.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/integrator_input.h"
#include "cli/progress.h"
#include "cli/scene_input.h"
#include "cli/verbs.h"
#include "core/error.h"
#include "recording/recording.h"
#include "viewer/live_view.h"
#include "viewer/pack_frames.h"
#include "viewer/page.h"
#include "viewer/recorded_frames.h"
#include "viewer/scene_json.h"
#include "viewer/session.h"

namespace cenic::cli {
namespace {

struct ViewArguments {
  SceneInput input;
  IntegratorInput integrator;
  ServerOptions server{.port = kViewPort};
  bool no_open = false, paused = false;
};

void open_browser(const std::string& url) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  std::string program = "xdg-open", address = url;
  char* words[] = {program.data(), address.data(), nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, words[0], nullptr, nullptr, words, environ) == 0) {
    waitpid(child, nullptr, WNOHANG);
  }
}

bool is_recording(const std::string& path) {
  return path.ends_with(".h5") || path.ends_with(".hdf5");
}

// A recorded run, to play back.
int view_recording(const ViewArguments& arguments) {
  const Recording recording = read_recording(arguments.input.scene);
  if (recording.frames.empty()) {
    throw Error(fmt::format("{}: error: the recording has no frames", recording.path));
  }
  std::string title = recording.info.scene;
  if (!recording.complete) title += ", of a run that was cut short";
  if (!recording.failure.empty()) title += ": " + recording.failure;
  const PageView page(
      make_replay_page(make_scene_json(recording, title), pack_frames(make_view_frames(recording))),
      arguments.server);
  const InterruptGuard guard;
  announce_page(arguments.server, page.port(), page.url(), !arguments.no_open);
  while (!InterruptGuard::interrupted()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return kDone;
}

int view(const ViewArguments& arguments) {
  if (is_recording(arguments.input.scene)) return view_recording(arguments);
  Scene scene = open_scene(arguments.input);
  const IntegratorOptions options =
      make_options(arguments.integrator, arguments.input, scene.loaded.run);
  print_fidelity_summary(arguments.input, scene);
  Session session(std::move(scene.loaded.spec), scene.model,
                  {.title = make_title(arguments.input.scene, options),
                   .integrator = options,
                   .playing = !arguments.paused});
  const InterruptGuard guard;
  const LiveView page(&session, arguments.server);
  announce_page(arguments.server, page.port(), page.url(), !arguments.no_open);
  session.run(&InterruptGuard::interrupted);
  return kDone;
}

}  // namespace

void announce_page(const ServerOptions& asked, int port, const std::string& url, bool open) {
  if (asked.port != 0 && asked.port != port) {
    fmt::print(stderr, "port {} is taken, so this is another\n", asked.port);
  }
  fmt::print("{}\n", url);
  fmt::print(stderr, "Ctrl-C ends.\n");
  std::fflush(stdout);
  if (open) open_browser(url);
}

Action add_view(CLI::App* app) {
  auto a = std::make_shared<ViewArguments>();
  add_scene_options(app, &a->input, true);
  add_integrator_options(app, &a->integrator);
  app->add_option("--port", a->server.port, "Where the page is served; 0 or taken: any")
      ->capture_default_str()
      ->type_name("P");
  app->add_option("--address", a->server.address,
                  "Network address to serve on; other machines can connect, watch and steer unless "
                  "it is the loopback address")
      ->capture_default_str()
      ->type_name("A");
  app->add_flag("--paused", a->paused, "Do not start at once");
  app->add_flag("--no-open", a->no_open, "Do not open a browser");
  return [a] {
    return view(*a);
  };
}

}  // namespace cenic::cli
