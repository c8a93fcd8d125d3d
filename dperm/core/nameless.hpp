// SPDX-License-Identifier: Apache-2.0
// Files without a name, which vanish with the program.
#pragma once

#include <cerrno>

namespace dperm {

// Whether an O_TMPFILE failed because the file system, or an old kernel, has no such files. After any other reason a
// file with a name must not be tried: a disk that fails may keep it.
inline bool lacks_nameless_files(int reason) {
  return reason == EOPNOTSUPP || reason == EISDIR || reason == EINVAL || reason == ENOSYS;
}

}  // namespace dperm
