// Package rehearsal deploys the stack without AWS and tries it (`make rehearsal`).
//
// The template that `sam build` made is translated by AWS's own translator and
// created on moto's CloudFormation, so that tables, indexes, names, environment
// and rights are what the template says and nothing that a test wrote down. The
// release builds of both functions run in AWS's Runtime Interface Emulator with
// the environment of the created stack, behind internal/gateway.
//
// Between the functions and moto stands Guard. It is what IAM is on AWS: it
// knows each function by its access key, lets pass what its role allows and
// refuses the rest as AWS words it. At the end it tells which rights were never
// used, so that a role can be neither too narrow nor too wide.
package rehearsal
