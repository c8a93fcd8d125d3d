// SPDX-License-Identifier: Apache-2.0
// dperm sign: vouches for a file with a key of one's own, so that others can tell where it comes from.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstring>
#include <filesystem>
#include <memory>

#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "dperm/core/check.hpp"
#include "dperm/core/signature.hpp"
#include "dperm/core/whole_file.hpp"
#include "dperm/model/atomic_file.hpp"
#include "dperm/random/bits.hpp"

namespace dperm::cli {

namespace {

struct SignFlags {
  std::string file, key, new_key;
};

void make_keys(const std::string& path) {
  for (const std::string& each : {path, path + ".pub"}) {
    require(!std::filesystem::exists(std::filesystem::symlink_status(each)),
            fmt::format("{} is there already; a key is not replaced, because what it signed could not be checked again",
                        each));
  }
  std::array<std::uint64_t, kKeySeedBytes / sizeof(std::uint64_t)> words;
  random::SecureBits().fill(words);
  std::array<unsigned char, kKeySeedBytes> seed;
  std::memcpy(seed.data(), words.data(), seed.size());
  const SigningKeys keys = signing_keys(seed);
  model::write_file_atomically(path, keys.secret, model::FileAccess::owner_only);
  model::write_file_atomically(path + ".pub", keys.open);
  note(
      fmt::format("{} is the secret key, readable by you only: keep it. {}.pub is the public one: give it to those\n"
                  "who are to check your signatures, on another way than the models.",
                  path, path));
}

void run(const SignFlags& flags) {
  require(flags.new_key.empty() != flags.file.empty(), "name a file to sign, or make a key with --new-key FILE");
  if (!flags.new_key.empty()) {
    require(flags.key.empty(), "--key is for signing; --new-key makes one");
    return make_keys(flags.new_key);
  }
  require(!flags.key.empty(),
          "--key FILE is required: the secret key to sign with; dperm sign --new-key FILE makes one");
  const std::string signature = signature_of(whole_file(flags.file), whole_file(flags.key), flags.key);
  check_output(flags.file + ".sig", {flags.file, flags.key});
  model::write_file_atomically(flags.file + ".sig", signature);
  note(fmt::format("{0}.sig written. Others check it with: dperm verify {0} --key {1}.pub", flags.file, flags.key));
}

}  // namespace

void add_sign(CLI::App& app) {
  CLI::App* command = app.add_subcommand("sign", "Sign a model or report, so that others can tell whose it is");
  auto flags = std::make_shared<SignFlags>();
  command->add_option("FILE", flags->file, "the file to sign; the signature goes to FILE.sig")->type_name("FILE");
  command->add_option("--key", flags->key, "your secret key")->type_name("FILE");
  command->add_option("--new-key", flags->new_key, "make a key: secret in FILE, public in FILE.pub")->type_name("FILE");
  command->callback([flags] { run(*flags); });
}

}  // namespace dperm::cli
