"""Translate a SAM template into CloudFormation, as AWS does on deployment.

usage: translate.py template.yaml [parameter=value ...]

Prints JSON. Code is said to lie in an S3 bucket, as after `sam package`.
"""

import json
import os
import sys

from samtranslator.translator.transform import transform
from samtranslator.yaml_helper import yaml_parse


class NoManagedPolicies:
    """The template names no managed policy, so that none need be looked up."""

    def load(self):
        return {}


def main():
    os.environ.setdefault("AWS_DEFAULT_REGION", "eu-central-1")  # the translator wants one
    with open(sys.argv[1], encoding="utf-8") as f:
        template = yaml_parse(f.read())
    code = {"Bucket": "rehearsal", "Key": "function.zip"}
    template.get("Globals", {}).get("Function", {})["CodeUri"] = code
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::Serverless::Function":
            resource["Properties"]["CodeUri"] = code
    parameters = dict(p.split("=", 1) for p in sys.argv[2:])
    json.dump(transform(template, parameters, NoManagedPolicies()), sys.stdout, indent=1)


main()
