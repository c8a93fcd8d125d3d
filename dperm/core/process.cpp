// SPDX-License-Identifier: Apache-2.0
#include "dperm/core/process.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <cerrno>
#include <system_error>

namespace dperm {

void protect_process() {
  // The limit alone does not stop a dump that the system pipes to a program; that the process cannot be dumped does.
  const rlimit none{0, 0};
  if (prctl(PR_SET_DUMPABLE, 0) != 0 || setrlimit(RLIMIT_CORE, &none) != 0) {
    throw std::system_error(errno, std::generic_category(), "protecting the process");
  }
}

}  // namespace dperm
