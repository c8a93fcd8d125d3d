// SPDX-License-Identifier: Apache-2.0
// --help shows the options that most people need; --help-all shows every one, by topic.
#pragma once

namespace CLI {
class App;
}

namespace dperm::cli {

// For `app` and every command that is added to it later. Options in the parser's own group are those of --help.
void set_help(CLI::App& app);

}  // namespace dperm::cli
