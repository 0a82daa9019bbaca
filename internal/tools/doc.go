// Package tools holds the MCP tools: what an assistant can ask and do.
//
// A tool is declared once, as a Tool value in the file of its domain: name,
// title, description, parameters, result, hints, scope, toolset, handler. Its
// JSON schemas, docs/tools.md, the committed snapshots and the filter by scope
// and toolset all come from that declaration. All lists them.
//
// A handler is a plain function of typed parameters. Before it runs, Call has
// read the arguments leniently, refused unknown ones by name and reported all
// problems at once (args.go); what it returns is rendered twice from the same
// facts: compact text for the model and structuredContent for programs.
// Errors become results that say what failed and what to do next (errors.go).
//
// Dates are the athlete's local days (dates.go), numbers are in the athlete's
// units in text and SI with the unit in the key in structured results
// (units.go), and foreign text is quoted (text.go). Reads go to Intervals.icu
// directly, independent ones at the same time; writes go through package
// change and nothing else.
package tools
