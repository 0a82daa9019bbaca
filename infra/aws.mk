# The stack in an AWS account: building it, checking it, and running it here
# without one. Included by the Makefile.

ARCH   ?= arm64
GOARCH ?= arm64
SAM    := $(TOOLS)/sam
BUILD  := .aws-sam/build

# `sam build` calls build-<logical id> with ARTIFACTS_DIR, and says nothing of
# the processor: GOARCH=amd64 sam build --parameter-overrides Architecture=x86_64.
# The same source gives the same bytes, wherever it is built.
.PHONY: build-AuthorizerFunction build-McpFunction build-OauthFunction
build-AuthorizerFunction: FUNCTION := authorizer
build-McpFunction: FUNCTION := mcp
build-OauthFunction: FUNCTION := oauth
build-AuthorizerFunction build-McpFunction build-OauthFunction:
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
	said=$$(sam build --parameter-overrides Architecture=$(ARCH) 2>&1) || { echo "$$said"; exit 1; }; \
	echo "built all functions for $(ARCH) in $(BUILD)"

# What runs here is built for this machine's processor and apart, so that
# `sam deploy` can never pick it up.
HOST_ARCH := $(if $(filter arm64 aarch64,$(shell uname -m)),arm64,x86_64)
HOST      := .aws-sam/host

.PHONY: sam-build-host
sam-build-host: ## sam build for this machine's processor, into .aws-sam/host
	@$(call have_sam,sam-build-host); export $(SAM_ENV) GOARCH=$(if $(filter x86_64,$(HOST_ARCH)),amd64,arm64); \
	said=$$(sam build --build-dir $(HOST) --parameter-overrides Architecture=$(HOST_ARCH) 2>&1) || { echo "$$said"; exit 1; }; \
	sed -i.bak 's/^    Default: arm64$$/    Default: $(HOST_ARCH)/' $(HOST)/template.yaml; rm $(HOST)/template.yaml.bak; \
	echo "built all functions for $(HOST_ARCH) in $(HOST)"

.PHONY: sam-build-check
sam-build-check: ## sam build, and the same bytes again from a copy in another folder
	@$(call have_sam,sam-build-check); $(MAKE) sam-build VERSION=check; dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; \
	git ls-files -z -co --exclude-standard | while IFS= read -r -d '' f; do if [ -e "$$f" ]; then mkdir -p "$$dir/src/$$(dirname "$$f")"; cp "$$f" "$$dir/src/$$f"; fi; done; \
	for f in AuthorizerFunction McpFunction OauthFunction; do \
		mkdir -p $$dir/$$f; $(MAKE) -C $$dir/src build-$$f ARTIFACTS_DIR=$$dir/$$f VERSION=check; \
		cmp $(BUILD)/$$f/bootstrap $$dir/$$f/bootstrap || { echo "$$f is not reproducible"; exit 1; }; \
	done; echo "all functions are the same bytes from another folder"

.PHONY: sam-local
sam-local: ## build for this machine and say how to try it with `sam local` (needs Docker)
	@$(call have_sam,sam-local); \
	docker version >/dev/null 2>&1 || { echo "sam-local needs Docker, and it does not answer: install it (https://docs.docker.com/get-docker/) and start it"; exit 1; }; \
	$(MAKE) sam-build-host; sam=sam; command -v sam >/dev/null 2>&1 || sam=.tools/sam/bin/sam; \
	echo "With your own key:"; \
	echo "  API_KEY=... $$sam local invoke McpFunction -t $(HOST)/template.yaml -e events/read.json"; \
	echo "  API_KEY=... LOCAL_TOKEN=local $$sam local start-api -t $(HOST)/template.yaml"; \
	echo "    and then http://127.0.0.1:3000/mcp with Authorization: Bearer local"; \
	echo "With invented athletes:"; \
	echo "  go run ./cmd/intervals-mcp fake --addr 0.0.0.0:8766"; \
	echo "  $$sam local invoke McpFunction -t $(HOST)/template.yaml -e events/read.json --env-vars events/local.json --add-host host.docker.internal:host-gateway"

.PHONY: sam-local-check
sam-local-check: ## `sam local invoke` on every sample event, the black-box suite on `sam local start-api` (needs Docker; CI starts one)
	@$(call have_sam,sam-local-check); export $(SAM_ENV); unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY; $(MAKE) sam-build-host; \
	SAM_LOCAL_TEMPLATE=$(HOST)/template.yaml infra/samlocal/docker.sh $(HOST_ARCH) bash -c 'go test -count=1 -parallel 8 -json ./infra/samlocal | go run ./infra/gotest'

.PHONY: rehearsal
rehearsal: ## deploy to moto, run all functions in the Runtime Interface Emulator, check every rule and right
	@$(call have_sam,rehearsal); $(MAKE) $(SAM)/.installed $(MOTO)/.installed $(NPM)/.installed $(TOOLS)/mcp/.installed $(LAMBDA_RIE) sam-build-host; \
	REHEARSAL_RIE=$(LAMBDA_RIE) go test -count=1 -json ./infra/rehearsal | go run ./infra/gotest

.PHONY: aws-check
aws-check: template-check sam-build-check rehearsal sam-local-check ## everything about the stack that can be proved without AWS
