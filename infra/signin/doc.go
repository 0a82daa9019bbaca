// Package signin proves over the wire that people can connect their assistants:
// the official clients with their own OAuth code (`make signin`), the sequences
// of Claude and ChatGPT (reference/mcp/05), the conformance suite's scenarios of
// an authorization server, attacks, and many people at once.
//
// The person is played by Browser, which keeps cookies, follows redirects and
// fills in the forms that it finds on the pages, as a browser without script
// would. Two kinds of deployment are under test: the built `intervals-mcp serve`
// with a fake Intervals.icu, and a town, which is the same gateway, authorizer,
// MCP server and authorization server in this process, over https and on each
// kind of store, with a clock that a test turns.
package signin
