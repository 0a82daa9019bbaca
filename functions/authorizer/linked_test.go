package main

import (
	"os/exec"
	"strings"
	"testing"
)

// linked gives the packages the function is built from.
func linked(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", "-tags", "lambda.norpc", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}
