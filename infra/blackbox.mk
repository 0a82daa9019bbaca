# The rules checked from outside. Included by the Makefile.

.PHONY: blackbox
blackbox: ## the black-box suite against `serve` with a fake Intervals.icu
	@env -u BLACKBOX_URL -u BLACKBOX_TOKEN -u BLACKBOX_TARGET go test -count=1 ./infra/blackbox

.PHONY: smoke
smoke: ## the black-box suite against a deployment, reading only: URL=https://.../mcp TOKEN=imcp_pat_...
	@if [ -z "$${URL:-}" ] || [ -z "$${TOKEN:-}" ]; then \
		echo "make smoke URL=https://.../mcp TOKEN=imcp_pat_...   (the stack's output McpUrl, and a token of yours)"; exit 1; fi; \
	BLACKBOX_URL="$$URL" BLACKBOX_TOKEN="$$TOKEN" go test -count=1 -v ./infra/blackbox | grep -E '^ {4}--- |^ +[a-z_]+\.go:[0-9]|^(FAIL|ok)'
