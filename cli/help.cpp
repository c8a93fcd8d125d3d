// SPDX-License-Identifier: Apache-2.0
#include "cli/help.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/text.hpp"

namespace dperm::cli {

namespace {

constexpr const char* kUsual = "Options";  // the parser's name for options without a group of their own
constexpr std::size_t kNameColumn = 26, kLineWidth = 96;

// "Tuning (docs/tuning.md)": the topic alone.
std::string topic(const std::string& group) {
  const std::string words = group.substr(0, group.find_first_of(",("));
  return words.substr(0, words.find_last_not_of(' ') + 1);
}

class ShortFormatter : public CLI::Formatter {
 public:
  ShortFormatter() { column_width(kNameColumn); }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    if (mode != CLI::AppFormatMode::Normal) return CLI::Formatter::make_help(app, name, mode);
    return make_description(app) + make_usage(app, name) + make_positionals(app) + usual_options(app) +
           make_subcommands(app, mode) + "\n" + make_footer(app);
  }

 private:
  std::string usual_options(const CLI::App* app) const {
    const auto usual = app->get_options(
        [](const CLI::Option* option) { return option->get_group() == kUsual && option->nonpositional(); });
    std::vector<std::string> topics;
    for (const std::string& group : app->get_groups()) {
      if (group != kUsual && !group.empty()) topics.push_back(topic(group));
    }
    std::string text = make_group(kUsual, false, usual);
    if (topics.empty()) return text;
    return text + "\n" + wrapped(fmt::format("More with --help-all: {}.", fmt::join(topics, "; ")), kLineWidth) + "\n";
  }
};

}  // namespace

void set_help(CLI::App& app) {
  app.formatter(std::make_shared<ShortFormatter>());
  app.set_help_all_flag("--help-all", "Print every option, by topic");
}

}  // namespace dperm::cli
