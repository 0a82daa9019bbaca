package fake

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// refusal is an answer that is not the one asked for: a status with the body
// of API.md 1.6.
type refusal struct {
	status int
	body   any // nil is an empty body
}

func (r *refusal) Error() string {
	return fmt.Sprintf("%d %s", r.status, encode(nil, r.body))
}

// refuse is the platform's own error, {"status":422,"error":"Missing type"}.
func refuse(status int, format string, args ...any) *refusal {
	return &refusal{status, statusBody(status, fmt.Sprintf(format, args...))}
}

func statusBody(status int, reason string) row {
	return full([]string{"status", "error"}, Object{"status": status, "error": reason})
}

// invalid is a 422 with its reason.
func invalid(format string, args ...any) *refusal {
	return refuse(http.StatusUnprocessableEntity, format, args...)
}

var (
	errUnauthorized = refuse(http.StatusUnauthorized, "Unauthorized")
	errAccessDenied = refuse(http.StatusForbidden, "Access denied")
	errNotFound     = refuse(http.StatusNotFound, "Not Found")
	errStrava       = invalid("Cannot read Strava activities via the API")
	errMissingType  = invalid("Missing type")
	errNoName       = invalid("Name is required")

	// errNameTooLong was seen wrapped in an array (API.md 1.6).
	errNameTooLong = &refusal{http.StatusUnprocessableEntity,
		[]row{statusBody(http.StatusUnprocessableEntity, "Name is too long")}}

	// errNoStream is the one refusal without a body: a curve of a stream or
	// a fatigue variant that the activity lacks.
	errNoStream = &refusal{status: http.StatusUnprocessableEntity}
)

// spring is the framework's own error, for what never reaches the platform's
// code: unknown routes, wrong verbs, content that it cannot take.
func (c *call) spring(status int) *refusal {
	return &refusal{status, full([]string{"timestamp", "status", "error", "path"}, Object{
		"timestamp": stamp(c.s.now()), "status": status,
		"error": http.StatusText(status), "path": c.r.URL.Path,
	})}
}

// missingParameter is the 422 for a required query parameter.
func missingParameter(name, javaType string) *refusal {
	return invalid("Required request parameter '%s' for method parameter type %s is not present", name, javaType)
}

// badParameter is the 422 for a query parameter or path part of a wrong type.
func badParameter(name, value, javaType string) *refusal {
	return invalid("Failed to convert value of type 'java.lang.String' to required type '%s' for [%s]: %q", javaType, name, value)
}

// cannotRead is the 422 for a key of a body with a value of a wrong type.
func cannotRead(key string, v any, javaType string) *refusal {
	return invalid("JSON parse error: Cannot deserialize value of type `%s` from %s (through reference chain: [%q])",
		javaType, wrongType(v), key)
}

// notInEnum is the 422 for a value outside an enum; case matters.
func notInEnum(key string, v any, members map[string]bool) *refusal {
	names := make([]string, 0, len(members))
	for m := range members {
		names = append(names, m)
	}
	slices.Sort(names)
	return invalid("JSON parse error: Cannot deserialize value for [%q] from %s: not one of the values accepted for Enum class: [%s]",
		key, wrongType(v), strings.Join(names, ", "))
}
