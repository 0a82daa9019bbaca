package signin

import (
	"net/http"
	"testing"
)

func TestClients_TheTypeScriptSDKConnectsToServe(t *testing.T) {
	s := Serve(t)
	Journey(t, s.Deployment, http.DefaultTransport, TypeScript(t, s.Deployment))
}

func TestClients_ThePythonSDKConnectsToServe(t *testing.T) {
	s := Serve(t)
	Journey(t, s.Deployment, http.DefaultTransport, Python(t, s.Deployment))
}
