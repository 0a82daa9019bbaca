package awsenv

import (
	"strings"
	"testing"
)

func TestADeployedFunctionRefusesWhatIsForSamLocal(t *testing.T) {
	base := map[string]string{"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
	for _, tt := range []struct {
		name, value string
		deployed    bool // may start when deployed
	}{
		{"", "", true},
		{APIKey, "k3y", false},
		{AthleteID, "i1", false},
		{LocalToken, "t0ken", false},
		{IntervalsBaseURL, "https://intervals.example", false},
		{IntervalsBaseURL, "http://127.0.0.1:8080", true},
		{EndpointDynamoDB, "http://172.17.0.1:5000", false},
		{EndpointDynamoDB, "http://127.0.0.1.example.com:5000", false},
		{EndpointDynamoDB, "http://127.0.0.1@example.com", false},
		{EndpointDynamoDB, "http://localhost.example.com", false},
		{EndpointDynamoDB, "127.0.0.1:5000", false},
		{EndpointDynamoDB, "http://localhost:5000", true},
		{EndpointSecretsManager, "http://[::1]:5000", true},
		{EndpointSecretsManager, "https://example.com", false},
		{"AWS_REGION", "", false},
	} {
		env := map[string]string{}
		for k, v := range base {
			env[k] = v
		}
		env[tt.name] = tt.value
		_, err := Read(func(k string) string { return env[k] })
		if (err == nil) != tt.deployed {
			t.Errorf("%s=%s: %v", tt.name, tt.value, err)
		}
		if err != nil && (!strings.Contains(err.Error(), tt.name) || tt.value != "" && strings.Contains(err.Error(), tt.value)) {
			t.Errorf("%s: the error names another variable, or shows its value: %v", tt.name, err)
		}
		env[SAMLocal] = "true"
		if e, err := Read(func(k string) string { return env[k] }); err != nil || !e.SAMLocal {
			t.Errorf("sam local, %s=%s: %v", tt.name, tt.value, err)
		}
	}
}

func TestCredentialsComeFromTheEnvironment(t *testing.T) {
	env := map[string]string{"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_SESSION_TOKEN": "c"}
	e, err := Read(func(k string) string { return env[k] })
	if err != nil {
		t.Fatal(err)
	}
	c, err := e.Credentials.Retrieve(t.Context())
	if err != nil || c.AccessKeyID != "a" || c.SecretAccessKey != "b" || c.SessionToken != "c" {
		t.Errorf("%v", err)
	}
	delete(env, "AWS_ACCESS_KEY_ID")
	e, _ = Read(func(k string) string { return env[k] })
	if _, err := e.Credentials.Retrieve(t.Context()); err == nil {
		t.Error("no credentials, and no error")
	}
}
