// Command floor is how low the mcp function could get: bare mcp-go with 55
// trivial tools behind the adapter, without edge, stores or AWS clients.
package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func main() {
	s := server.NewMCPServer("floor", "1", server.WithToolCapabilities(false))
	schema := json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}}`)
	for i := range 55 {
		tool := mcp.NewToolWithRawSchema(fmt.Sprintf("tool_%02d", i), "Does nothing.", schema)
		s.AddTool(tool, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText("ok"), nil
		})
	}
	lambda.Start(httpadapter.NewV2(server.NewStreamableHTTPServer(s, server.WithStateLess(true), server.WithDisableStreaming(true))).ProxyWithContext)
}
