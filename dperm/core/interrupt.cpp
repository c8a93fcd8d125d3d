// SPDX-License-Identifier: Apache-2.0
#include "dperm/core/interrupt.hpp"

#include <utility>

namespace dperm {

namespace {
thread_local const InterruptScope* innermost = nullptr;
}  // namespace

InterruptScope::InterruptScope(std::function<void()> look) : look_(std::move(look)), outer_(innermost) {
  innermost = this;
}

InterruptScope::~InterruptScope() { innermost = outer_; }

InterruptCheck::InterruptCheck() : scope_(innermost) {}

void InterruptCheck::operator()() const {
  if (scope_ != nullptr && scope_ == innermost && scope_->look_) scope_->look_();
}

}  // namespace dperm
