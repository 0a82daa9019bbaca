package oauth

import (
	"net/http"
	"strings"
)

// The documents are ready but for the issuer. resourceDocument is RFC 9728's,
// serverDocument RFC 8414's, which is also served as OpenID configuration, for
// clients that look only there.
const (
	resourceDocument = `{"resource":"{issuer}/mcp","authorization_servers":["{issuer}"],"scopes_supported":["read","write"],` +
		`"bearer_methods_supported":["header"],"resource_name":"Intervals.icu training data"}` + "\n"
	serverDocument = `{"issuer":"{issuer}","authorization_endpoint":"{issuer}/authorize","token_endpoint":"{issuer}/token",` +
		`"registration_endpoint":"{issuer}/register","revocation_endpoint":"{issuer}/revoke",` +
		`"response_types_supported":["code"],"response_modes_supported":["query"],` +
		`"grant_types_supported":["authorization_code","refresh_token"],"code_challenge_methods_supported":["S256"],` +
		`"token_endpoint_auth_methods_supported":["none","client_secret_basic","client_secret_post"],` +
		`"revocation_endpoint_auth_methods_supported":["none","client_secret_basic","client_secret_post"],` +
		`"scopes_supported":["read","write"],` +
		`"client_id_metadata_document_supported":true,"authorization_response_iss_parameter_supported":true}` + "\n"
)

// wellKnown are the documents' places. The forms that clients try with the
// endpoint's path put in (/.well-known/oauth-authorization-server/mcp) belong to
// an issuer with that path, which there is not: RFC 8414 3.3 forbids a client
// to use a document that names another, and a 404 in JSON sends it on to the
// next form (reference/aws/01).
var wellKnown = map[string]string{
	"/.well-known/oauth-protected-resource":     resourceDocument,
	"/.well-known/oauth-protected-resource/mcp": resourceDocument,
	"/.well-known/oauth-authorization-server":   serverDocument,
	"/.well-known/openid-configuration":         serverDocument,
}

func isWellKnown(path string) bool { return strings.HasPrefix(path, "/.well-known/") }

// documentLife is how long a client may keep a document.
const documentLife = "public, max-age=300"

// serveDocument answers GET /.well-known/{proxy+} and gives a word for the log.
func serveDocument(w http.ResponseWriter, r *http.Request, p Place) string {
	document, ok := wellKnown[r.URL.Path]
	if ok && r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		(&Error{Code: codeInvalidRequest, Description: "A document is read with GET.", Status: http.StatusMethodNotAllowed}).write(w)
		return codeInvalidRequest
	}
	if !ok {
		writeJSON(w, http.StatusNotFound, notFound{"not_found", "There is no document here. The MCP endpoint is " + p.resource() + ".", p.resource()})
		return "not_found"
	}
	w.Header().Set("Cache-Control", documentLife)
	writeBytes(w, http.StatusOK, []byte(strings.ReplaceAll(document, "{issuer}", p.Issuer)))
	return "ok"
}

// notFound is the JSON of a 404: some clients read any error as OAuth's and
// stumble over one that is no JSON (google_workspace_mcp#382).
type notFound struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
	Endpoint    string `json:"mcp_endpoint"`
}
