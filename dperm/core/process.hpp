// SPDX-License-Identifier: Apache-2.0
// Keeping a process that holds records from being copied by others of the same user and into core dumps.
#pragma once

namespace dperm {

// From now on this process leaves no core dump, and no process without privileges can attach to it or read its memory.
// It holds for the whole process until it ends: also for a debugger or profiler that somebody wants to attach. Records
// can still reach disks by swap and hibernation. Throws std::system_error where the system refuses.
void protect_process();

}  // namespace dperm
