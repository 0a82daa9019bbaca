# The pages in a real browser. Included by the Makefile. CHROMIUM names the
# program where it is not called chromium; ONLY='^consent' picks pages.

BROWSER_OUT ?= dist/browser
CHROMIUM    ?= chromium

.PHONY: browser
browser: ## every page in headless chromium: axe-core, keyboard, 320 px, no script, light and dark; pictures in dist/browser
	@$(call need,npm,browser); $(call need,$(CHROMIUM),browser); $(MAKE) $(NPM)/.installed; \
	go build -o bin/browser-samples ./infra/browser/samples; \
	CHROMIUM="$$(command -v $(CHROMIUM))" "$(NODE)" infra/browser/run.mjs $(NPM) $(BROWSER_OUT) bin/browser-samples $(if $(ONLY),--only '$(ONLY)')
