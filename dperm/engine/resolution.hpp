// SPDX-License-Identifier: Apache-2.0
// The integers that sums over rows count in, and why no total overflows. Public: depends on the number of rows alone.
// Proof note: dperm/engine/cpu/sums.md.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dperm::engine {

// Steps per unit of a sum's summand: 2^20 for sums that will be noised (32-bit lanes), more for solvers.
enum class Resolution { release, solver };
inline constexpr int kReleaseBits = 20;
inline constexpr int kSolverBits = 40;
// No total leaves 62 bits: every sum throws ArgumentError for more rows than that allows (release: 2^42).
inline constexpr int kTotalBits = 62;
int solver_bits(std::size_t rows);                      // 40, less where rows * 2^40 would not fit 62 bits
double steps(Resolution resolution, std::size_t rows);  // 2^bits
double row_steps(Resolution resolution);                // before a solver's total is rounded to steps(resolution, rows)

// Sums that are rounded as a whole: exact, so that parts add up.
__extension__ typedef __int128 WideSum;

// The largest weight of a row that keeps a sum of weighted second moments over this many rows within 62 bits, a power
// of two, at most 2^10. Throws ArgumentError above 2^32 rows.
std::uint32_t largest_row_weight(std::size_t rows);

}  // namespace dperm::engine
