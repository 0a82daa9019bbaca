package apigw

import (
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

// Logger writes JSON lines with Lambda's keys. Where the function's log format
// is set to JSON (template.yaml) that is aws-lambda-go's own handler, which
// also heeds the log level set there; elsewhere, as under sam local, its
// handler would write text.
func Logger(out io.Writer) *slog.Logger {
	if os.Getenv("AWS_LAMBDA_LOG_FORMAT") == "JSON" {
		return lambdacontext.NewLogger()
	}
	var level slog.Level
	if level.UnmarshalText([]byte(strings.ToUpper(os.Getenv("LOG_LEVEL")))) != nil {
		level = slog.LevelInfo
	}
	return slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: level, ReplaceAttr: lambdacontext.ReplaceAttr}))
}
