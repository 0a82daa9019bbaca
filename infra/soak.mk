# The road of a change, broken at random. Included by the Makefile. SOAK holds
# further arguments: -seed N begins elsewhere, -v tells the stories.

.PHONY: soak
soak: ## 10,000 seeded runs with random faults and 300 killed processes; the figures go to docs/safety.md
	@go build -o bin/soak ./infra/soak; bin/soak -write docs/safety.md $(SOAK)

.PHONY: soak-short
soak-short: ## the same in a minute, for every commit
	@go build -o bin/soak ./infra/soak; bin/soak -runs 1000 -kills 30 $(SOAK)
