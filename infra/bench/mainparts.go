package main

import (
	"fmt"
	"os"
	"time"

	"intervals-mcp/internal/awsenv"
	"intervals-mcp/internal/mcpserver"
	"intervals-mcp/internal/secrets/secretsmanager"
	"intervals-mcp/internal/tools"
)

// mainParts times the parts of main in this process, each for the first time
// as a function would.
func mainParts() string {
	took := func(f func()) string {
		start := time.Now()
		f()
		return ms(time.Since(start))
	}
	clients := took(func() {
		e, _ := awsenv.Read(os.Getenv) // the clients are made whatever it says
		e.NewDynamoDB()
		secretsmanager.NewClient(e)
	})
	all := tools.All()
	server := took(func() { mcpserver.New(mcpserver.Options{Tools: all}) })
	schemas := took(func() {
		for _, t := range all {
			t.InputSchema()
			t.OutputSchema()
		}
	})
	return fmt.Sprintf("Parts of main, timed once each: both AWS SDK clients %s, the MCP server with %d tools %s. "+
		"Building all schemas takes %s and is left to the first `tools/list`.\n", clients, len(all), server, schemas)
}
