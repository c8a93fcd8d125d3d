# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's own checks of estimators, all of them but those that ask for what privacy forbids."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import filled

# What is not done, and why. Ten at most.
EXCEPTIONS = {
    "check_classifiers_regression_target": "whether labels are whole numbers is a fact about records: labels that are "
    "not among the declared classes are treated by a public rule, without a message",
    "check_supervised_y_no_nan": "whether a target is missing is a fact about one record: it becomes the middle of the "
    "bounds, or the first class, by a public rule",
}


@pytest.mark.filterwarnings("ignore::dperm.PrivacyWarning")
@parametrize_with_checks(filled.ALL, expected_failed_checks=lambda estimator: EXCEPTIONS)
def test_scikit_learn(estimator, check):
    check(estimator)
