// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// cenic view: a scene in the browser, to look at and to play with, or a recording.
#include "cli/view.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <thread>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/integrator_input.h"
#include "cli/progress.h"
#include "cli/recording_input.h"
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

// What was recorded does not change: options about the scene and its run have no meaning.
void refuse_options_of_runs(const CLI::App& app) {
  constexpr std::string_view kMeant[] = {"SCENE", "--port", "--address", "--no-open"};
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || std::ranges::find(kMeant, name) != std::end(kMeant)) continue;
    throw UsageError(fmt::format(
        "{}: a recording is shown as it is; only --port, --address and --no-open go with it",
        name));
  }
}

// A recorded run, to play back.
int view_recording(const ViewArguments& arguments) {
  const Recording recording = read_recording(arguments.input.scene);
  require_frames(recording);
  std::string title = make_title(recording.info);
  if (!recording.complete) title += ", of a run that was killed or still goes on";
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

int view(const ViewArguments& arguments, const CLI::App& app) {
  const std::string& file = arguments.input.scene;
  if (is_recording(file)) {
    refuse_options_of_runs(app);
    return view_recording(arguments);
  }
  refuse_unreadable_recording(file, "viewed");
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
  CLI::Option* scene = app->get_option("SCENE");
  scene->description(scene->get_description() + ", or a recording (.h5)");
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
  return [a, app] {
    return view(*a, *app);
  };
}

}  // namespace cenic::cli
