package secretsmanager_test

import (
	"io"
	"net/http"
	"strings"
)

// blockedName plays Secrets Manager while a secret of the same name is being
// deleted: creating says that it exists, writing that it does not.
type blockedName struct{ creates, until int }

func (b *blockedName) Do(r *http.Request) (*http.Response, error) {
	status, code := http.StatusBadRequest, "ResourceNotFoundException"
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), "CreateSecret") {
		b.creates++
		code = "ResourceExistsException"
		if b.creates > b.until {
			status = http.StatusOK
		}
	}
	h := http.Header{"Content-Type": {"application/x-amz-json-1.1"}}
	if status != http.StatusOK {
		h.Set("X-Amzn-Errortype", code)
	}
	return &http.Response{StatusCode: status, Header: h, Request: r, ProtoMajor: 1, ProtoMinor: 1, Body: io.NopCloser(strings.NewReader(`{"__type":"` + code + `"}`))}, nil
}
