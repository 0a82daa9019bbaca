package awstest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
)

// transactions stands in front of an emulator that has none. It carries out the
// writes of a TransactWriteItems one by one, with nobody in between, and takes
// those before a refused one back. So the emulator sees each item, condition and
// expression; that they are one transaction is this type's word, not its own.
// Other requests pass through. Put, Update and Delete are all that is known.
type transactions struct {
	to string
	mu sync.Mutex
}

type object = map[string]any

// reply is what the emulator answered.
type reply struct {
	status int
	header http.Header
	body   []byte
}

func (x *transactions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x.mu.Lock()
	defer x.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	version, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	var out reply
	if op == "TransactWriteItems" {
		out, err = x.play(r, version, body)
	} else {
		out, err = x.send(r, version+"."+op, body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	for _, name := range []string{"Content-Type", "X-Amz-Crc32", "X-Amzn-Errortype"} {
		if v := out.header.Get(name); v != "" {
			w.Header().Set(name, v)
		}
	}
	w.WriteHeader(out.status)
	_, _ = w.Write(out.body) // whoever asked may be gone
}

// send asks the emulator, which wants a signature and does not verify it.
func (x *transactions) send(r *http.Request, target string, body []byte) (reply, error) {
	req, err := http.NewRequestWithContext(r.Context(), r.Method, x.to+r.URL.Path, bytes.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	req.Header = r.Header.Clone()
	req.Header.Del("Accept-Encoding")
	req.Header.Set("X-Amz-Target", target)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, b}, err
}

func (x *transactions) play(r *http.Request, version string, body []byte) (reply, error) {
	var in struct{ TransactItems []map[string]object }
	if err := json.Unmarshal(body, &in); err != nil {
		return reply{}, err
	}
	ask := func(op string, in object) (reply, error) {
		b, err := json.Marshal(in)
		if err != nil {
			return reply{}, err
		}
		return x.send(r, version+"."+op, b)
	}
	var undo []func() (reply, error)
	reasons := make([]object, len(in.TransactItems))
	for i := range reasons {
		reasons[i] = object{"Code": "None"}
	}
	for i, write := range in.TransactItems {
		var op string
		var request object
		for kind, of := range write {
			op, request = kind+"Item", of
		}
		key := object{}
		request["ReturnValues"] = "ALL_OLD"
		done, err := ask(op, request)
		if err != nil {
			return reply{}, err
		}
		var old struct {
			Attributes object
			Type       string `json:"__type"`
		}
		if err := json.Unmarshal(done.body, &old); err != nil {
			return reply{}, err
		}
		if done.status == http.StatusOK {
			table := request["TableName"]
			for _, name := range []string{"pk", "sk"} {
				key[name] = field(request, name)
			}
			undo = append(undo, func() (reply, error) {
				if old.Attributes != nil {
					return ask("PutItem", object{"TableName": table, "Item": old.Attributes})
				}
				return ask("DeleteItem", object{"TableName": table, "Key": key})
			})
			continue
		}
		for _, u := range undo {
			if out, err := u(); err != nil || out.status != http.StatusOK {
				return out, err
			}
		}
		if !strings.HasSuffix(old.Type, "#ConditionalCheckFailedException") {
			return done, nil // a request that DynamoDB would refuse
		}
		reasons[i] = object{"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
		b, err := json.Marshal(object{"__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
			"message": "Transaction cancelled", "CancellationReasons": reasons})
		return reply{http.StatusBadRequest, http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, b}, err
	}
	return reply{http.StatusOK, http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, []byte("{}")}, nil
}

// field gives a key attribute of a write.
func field(request object, name string) any {
	if item, ok := request["Item"].(object); ok {
		return item[name]
	}
	key, _ := request["Key"].(object)
	return key[name]
}
