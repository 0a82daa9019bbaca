"""Create a stack of a translated template on an AWS that is not AWS (moto).

usage: stack.py ENDPOINT NAME template.json [parameter=value ...]

Prints as JSON what came of it: outputs, and for each function its environment
and the policies of its role, all as the emulator resolved them.
"""

import ast
import io
import json
import sys
import urllib.parse
import zipfile

import boto3


def main():
    endpoint, name, path = sys.argv[1:4]
    session = boto3.Session("operator", "operator", region_name="eu-central-1")

    def client(service):
        return session.client(service, endpoint_url=endpoint)

    with open(path, encoding="utf-8") as f:
        template = f.read()
    store_code(client("s3"))
    cloudformation = client("cloudformation")
    cloudformation.create_stack(
        StackName=name,
        TemplateBody=template,
        Capabilities=["CAPABILITY_IAM"],
        Parameters=[dict(zip(("ParameterKey", "ParameterValue"), p.split("=", 1))) for p in sys.argv[4:]],
    )
    stack = cloudformation.describe_stacks(StackName=name)["Stacks"][0]
    resources = [r for r in cloudformation.describe_stack_resources(StackName=name)["StackResources"] if "LogicalResourceId" in r]
    json.dump(
        {
            "status": stack["StackStatus"],
            "reason": stack.get("StackStatusReason", ""),
            "outputs": {o["OutputKey"]: o["OutputValue"] for o in stack.get("Outputs", [])},
            "resources": {r["LogicalResourceId"]: r.get("PhysicalResourceId", "") for r in resources},
            "functions": {
                r["LogicalResourceId"]: function(client, r["PhysicalResourceId"])
                for r in resources
                if r["ResourceType"] == "AWS::Lambda::Function"
            },
        },
        sys.stdout,
    )


def store_code(s3):
    code = io.BytesIO()
    with zipfile.ZipFile(code, "w") as z:
        z.writestr("bootstrap", "")
    if any(b["Name"] == "rehearsal" for b in s3.list_buckets()["Buckets"]):
        return
    s3.create_bucket(Bucket="rehearsal", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    s3.put_object(Bucket="rehearsal", Key="function.zip", Body=code.getvalue())


def function(client, name):
    conf = client("lambda").get_function_configuration(FunctionName=name)
    role = conf["Role"].rsplit("/", 1)[1]
    iam = client("iam")
    if iam.list_attached_role_policies(RoleName=role)["AttachedPolicies"]:
        sys.exit(f"{role} has managed policies")
    policies = [
        iam.get_role_policy(RoleName=role, PolicyName=p)["PolicyDocument"]
        for p in iam.list_role_policies(RoleName=role)["PolicyNames"]
    ]
    # moto keeps what CloudFormation gave it as Python wrote it.
    policies = [ast.literal_eval(urllib.parse.unquote(p)) if isinstance(p, str) else p for p in policies]
    return {
        "name": name,
        "environment": conf.get("Environment", {}).get("Variables", {}),
        "timeout": conf["Timeout"],
        "memory": conf["MemorySize"],
        "architectures": conf["Architectures"],
        "role": role,
        "policies": policies,
    }


main()
