// SPDX-License-Identifier: Apache-2.0
// A fingerprint of a file's content: finds damage and careless edits. It is no signature; whoever edits a file on
// purpose can compute it anew, which is why verification plans anew instead of trusting it.
#pragma once

#include <string>
#include <string_view>

namespace dperm {

std::string digest(std::string_view content);  // "blake2b-256:" and 64 hexadecimal digits

}  // namespace dperm
