// SPDX-License-Identifier: Apache-2.0
// Whether a file system keeps processes apart that write to one file. Internal to this room.
#pragma once

#include <string>

namespace dperm::ledger {

// Throws DataError where locks beside `path` are refused or have no effect, or where the system says that they hold on
// this machine alone (NFS with nolock or local_lock, SMB with nobrl). What a server does behind its mount cannot be
// seen from here.
void require_locks(const std::string& path);

}  // namespace dperm::ledger
