# The stack in an AWS account: building it, checking it, and running it here
# without one. Included by the Makefile.

ARCH   ?= arm64
GOARCH ?= arm64
SAM    := $(TOOLS)/sam
BUILD  := .aws-sam/build

# `sam build` calls build-<logical id> with ARTIFACTS_DIR, and says nothing of
# the processor: GOARCH=amd64 sam build --parameter-overrides Architecture=x86_64.
# The same source gives the same bytes, wherever it is built.
.PHONY: build-AuthorizerFunction build-McpFunction
build-AuthorizerFunction: FUNCTION := authorizer
build-McpFunction: FUNCTION := mcp
build-AuthorizerFunction build-McpFunction:
	@CGO_ENABLED=0 GOOS=linux GOARCH=$(GOARCH) go build -tags lambda.norpc -trimpath -buildvcs=false \
		-ldflags '-s -w -buildid= -X main.version=$(VERSION)' -o $(ARTIFACTS_DIR)/bootstrap ./functions/$(FUNCTION)

# Dummy credentials: nothing here talks to AWS, and SAM CLI looks for some.
SAM_ENV = PATH="$(SAM)/bin:$$PATH" SAM_CLI_TELEMETRY=0 AWS_DEFAULT_REGION=eu-central-1 AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local \
	AWS_EC2_METADATA_DISABLED=true DOCKER_BUILDKIT=0

# $(call have_sam,WHAT): the SAM CLI of .tools, or the person's own.
have_sam = if [ ! -x $(SAM)/bin/sam ] && ! command -v sam >/dev/null 2>&1; then \
	echo "skipped: $(1) needs the SAM CLI: \`make aws-tools\` fetches it, or see https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/install-sam-cli.html"; \
	[ "$${CI:-}" != true ]; exit; fi

.PHONY: aws-tools
aws-tools: $(SAM)/.installed $(TOOLS)/checkov/.installed ## fetch the SAM CLI, cfn-lint and checkov into .tools/ (needs Python)

$(TOOLS)/%/.installed: infra/python/%.txt
	@echo "fetching $*"; python3 -m venv $(@D) && $(@D)/bin/pip install --quiet --no-compile --no-deps --disable-pip-version-check -r $< && touch $@

.PHONY: template-check
template-check: ## sam validate, cfn-lint, checkov, and what the tests of infra/template want
	@$(call have_sam,template-check); $(MAKE) aws-tools; export $(SAM_ENV); \
	go test ./infra/template; \
	sam validate --lint; \
	cfn-lint --include-checks I -t template.yaml; \
	cfn-lint --include-checks I --regions cn-north-1 us-gov-west-1 ap-southeast-2 -t template.yaml; \
	python3 infra/python/translate.py template.yaml >/dev/null; \
	$(TOOLS)/checkov/bin/checkov --config-file infra/checkov.yaml -f template.yaml

.PHONY: sam-build
sam-build: ## sam build (ARCH=x86_64 for that processor)
	@$(call have_sam,sam-build); export $(SAM_ENV) GOARCH=$(if $(filter x86_64,$(ARCH)),amd64,arm64); \
	sam build --parameter-overrides Architecture=$(ARCH)
