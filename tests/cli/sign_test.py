# SPDX-License-Identifier: Apache-2.0
"""dperm sign and verify --key: whose file it is."""

import os
import stat
import unittest

from cli_case import CliCase


class Signatures(CliCase):
    def setUp(self):
        super().setUp()
        self.fit()
        self.succeed("sign", "--new-key", "office")

    def test_a_signed_model_verifies_with_the_public_key(self):
        self.assertEqual(stat.S_IMODE(os.stat(self.path("office")).st_mode), 0o600)
        self.succeed("sign", "model.json", "--key", "office")
        self.assertIn("verified", self.succeed("verify", "model.json", "--key", "office.pub").out)
        os.rename(self.path("model.json.sig"), self.path("elsewhere"))
        self.succeed("verify", "model.json", "--key", "office.pub", "--signature", "elsewhere")
        self.refuse(3, ["model.json.sig"], "verify", "model.json", "--key", "office.pub")

    def test_another_file_or_another_key_does_not(self):
        self.succeed("sign", "model.json", "--key", "office")
        self.fit(output="other.json")
        self.succeed("sign", "--new-key", "thief")
        for arguments in (["other.json", "--key", "office.pub", "--signature", "model.json.sig"],
                          ["model.json", "--key", "thief.pub"]):
            result = self.run_program("verify", *arguments)
            self.assertEqual(result.status, 3)
            self.assertIn("somebody else signed it", result.out)
            self.assertIn("do not rely on this model", result.err)

    def test_keys_are_not_replaced_or_mixed_up(self):
        before = self.path("office").read_text()
        self.refuse(2, ["office is there already"], "sign", "--new-key", "office")
        self.assertEqual(self.path("office").read_text(), before)
        self.refuse(2, ["office.pub is no secret key"], "sign", "model.json", "--key", "office.pub")
        self.succeed("sign", "model.json", "--key", "office")
        self.refuse(2, ["office is a secret key"], "verify", "model.json", "--key", "office")
        self.refuse(3, ["office.pub is no signature"], "verify", "model.json", "--key", "office.pub", "--signature",
                    "office.pub")

    def test_what_is_missing_is_said(self):
        self.refuse(2, ["--key FILE is required"], "sign", "model.json")
        self.refuse(2, ["name a file to sign"], "sign")
        self.refuse(2, ["--signature goes with --key"], "verify", "model.json", "--signature", "x")


if __name__ == "__main__":
    unittest.main()
