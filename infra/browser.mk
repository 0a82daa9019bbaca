# The pages in a real browser. Included by the Makefile. CHROMIUM names the
# program where it is not called chromium; ONLY='^consent' picks pages or flows.

BROWSER_OUT ?= dist/browser
CHROMIUM    ?= chromium

.PHONY: browser
browser: bin/intervals-mcp ## the pages in headless chromium, on the real server too: by click, keyboard and without script; axe-core; pictures in dist/browser
	@$(call need,npm,browser); $(call need,$(CHROMIUM),browser); $(MAKE) $(NPM)/.installed; \
	go build -o bin/browser-samples ./infra/browser/samples; \
	CHROMIUM="$$(command -v $(CHROMIUM))" "$(NODE)" infra/browser/run.mjs $(NPM) $(BROWSER_OUT) bin/browser-samples bin/intervals-mcp $(if $(ONLY),--only '$(ONLY)')

.PHONY: pictures
pictures: bin/intervals-mcp ## renew the pictures of docs/connect from the real pages (port 8765 must be free)
	@$(call need,npm,pictures); $(call need,$(CHROMIUM),pictures); $(MAKE) $(NPM)/.installed; \
	go build -o bin/browser-samples ./infra/browser/samples; rm -f docs/connect/images/*.png; \
	CHROMIUM="$$(command -v $(CHROMIUM))" "$(NODE)" infra/browser/pictures.mjs $(NPM) docs/connect/images bin/browser-samples bin/intervals-mcp; \
	go run ./infra/browser/palette docs/connect/images/*.png
