// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>

namespace dperm::cli {

namespace {

// Handlers may only read and write plain memory: two texts, of which one is being said and the other prepared.
struct Words {
  std::array<char, 600> text{};
  std::size_t size = 0;
};
std::array<Words, 2> words;
std::atomic<const Words*> current{nullptr};
static_assert(std::atomic<const Words*>::is_always_lock_free);

void say(const char* text, std::size_t size) {
  if (write(STDERR_FILENO, text, size) < 0) return;  // nobody is listening
}

void interrupted(int signal) {
  constexpr char kStart[] = "\ndperm: interrupted. ";
  say(kStart, sizeof kStart - 1);
  if (const Words* now = current.load()) say(now->text.data(), now->size);
  say("\n", 1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// Reading a mapped file behind its end: tiles that someone cut short while they were in use.
void cut_short(int) {
  constexpr char kStart[] =
      "dperm: a file that was being read (--tiles) was cut short by another program, or its disk failed; the run ends "
      "here. ";
  say(kStart, sizeof kStart - 1);
  if (const Words* now = current.load()) say(now->text.data(), now->size);
  say("\n", 1);
  _exit(3);
}

}  // namespace

void watch_interrupts() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (std::signal(signal, interrupted) == SIG_IGN) std::signal(signal, SIG_IGN);  // as under nohup
  }
  std::signal(SIGBUS, cut_short);
}

void if_interrupted(const std::string& text) {
  Words& next = current.load() == &words[0] ? words[1] : words[0];
  next.size = std::min(text.size(), next.text.size());
  std::memcpy(next.text.data(), text.data(), next.size);
  current.store(&next);
}

}  // namespace dperm::cli
