// Package template reads template.yaml for tests: those of the template itself
// here, and those that hold code against it (routes of internal/gateway, tables
// of internal/identity, internal/audit and internal/state, rights of the rehearsal).
//
// Short intrinsics become what they stand for: `!Ref X` is map[Ref:X], `!Sub x`
// map[Fn::Sub:x]. They are not resolved; what a real CloudFormation makes of
// them is the rehearsal's business (infra/rehearsal).
package template
