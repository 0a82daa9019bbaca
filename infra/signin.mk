# People connecting their assistants, over the wire. Included by the Makefile.
# The attacks, and many people at once, are run by `make test` too.

.PHONY: signin
signin: ## the official clients and the conformance suite sign in to `serve`: TypeScript, Python and Go SDK, mcp-remote
	@$(call need,npm,signin); $(call need,python3,signin); $(MAKE) $(NPM)/.installed $(TOOLS)/mcp/.installed; \
	SIGNIN=1 go test -count=1 -json -run '^Test(Clients|Conformance|DoneWhen)_' ./infra/signin | go run ./infra/gotest

tools: $(TOOLS)/mcp/.installed
