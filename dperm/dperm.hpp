// SPDX-License-Identifier: Apache-2.0
// Public API, all of it: read, plan, fit, predict, evaluate, account, calibrate, count, verify, report. The headers in
// this folder are the API; what lies in the rooms below it is not.
#pragma once

#include "dperm/accounting.hpp"
#include "dperm/dataset.hpp"
#include "dperm/error.hpp"
#include "dperm/evaluate.hpp"
#include "dperm/interrupt.hpp"
#include "dperm/ledger.hpp"
#include "dperm/model.hpp"
#include "dperm/plan.hpp"
#include "dperm/process.hpp"
#include "dperm/remote.hpp"
#include "dperm/report.hpp"
#include "dperm/schema.hpp"
#include "dperm/task.hpp"
