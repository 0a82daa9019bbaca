package stack

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	auditdynamo "intervals-mcp/internal/audit/dynamo"
	"intervals-mcp/internal/identity/dynamo"
	"intervals-mcp/internal/operator"
	statedynamo "intervals-mcp/internal/state/dynamo"
)

const redeploy = "sam build && sam deploy brings it back"

// check looks at the stack's parts.
func (d *deployment) check(ctx context.Context, r *operator.Report) bool {
	switch status := string(d.status); {
	case strings.HasSuffix(status, "_IN_PROGRESS"):
		r.Note("stack", "wait until it is done", "%s: %s", d.where, status)
	case strings.HasSuffix(status, "_FAILED"), status == "ROLLBACK_COMPLETE":
		r.Wrong("stack", "look at the stack's events (sam list stack-events), mend, deploy again", "%s: %s", d.where, status)
	default:
		r.OK("stack", "%s: %s", d.where, status)
	}
	if d.outputs[mcpURL] == "" {
		r.Wrong("outputs", redeploy, "the output %s is missing", mcpURL)
	} else {
		r.OK("outputs", "%s", d.outputs[mcpURL])
	}
	ok := d.table(ctx, r, "identity table", d.outputs[identityTable], dynamo.Definition(""), "ttl")
	if ok {
		d.kept(ctx, r, "identity table", d.outputs[identityTable])
	}
	if !d.table(ctx, r, "audit table", d.outputs[auditTable], auditdynamo.Definition(""), "ttl") {
		ok = false
	} else {
		d.kept(ctx, r, "audit table", d.outputs[auditTable])
	}
	if d.outputs[stateTable] == "" {
		r.Wrong("state table", "update this stack (sam build && sam deploy); until then nothing can be undone from here", "the output %s is missing", stateTable)
	} else { // what it holds lives for minutes and is not kept
		d.table(ctx, r, "state table", d.outputs[stateTable], statedynamo.Definition(""), statedynamo.TTL)
	}
	return ok
}

// table compares a table with how it must be; ttl is the attribute by which its
// items expire.
func (d *deployment) table(ctx context.Context, r *operator.Report, part, name string, want *dynamodb.CreateTableInput, ttl string) bool {
	out, err := d.dynamo.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
	if err != nil {
		r.Wrong(part, "if the table was deleted, restore it (point-in-time recovery) under its name", "%v", explain(err))
		return false
	}
	t := out.Table
	if t.TableStatus != types.TableStatusActive && t.TableStatus != types.TableStatusUpdating {
		r.Wrong(part, "wait, or look at it in the console", "%s is %s", name, t.TableStatus)
		return false
	}
	if keys(t.KeySchema) != keys(want.KeySchema) {
		r.Wrong(part, redeploy, "%s has the key %s, not %s", name, keys(t.KeySchema), keys(want.KeySchema))
		return false
	}
	r.OK(part, "%s", name)
	for _, index := range want.GlobalSecondaryIndexes {
		d.index(r, part, t, index)
	}
	d.expiry(ctx, r, part, name, ttl)
	return true
}

// kept looks at what keeps a table from being lost.
func (d *deployment) kept(ctx context.Context, r *operator.Report, part, name string) {
	out, err := d.dynamo.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
	if err == nil && !aws.ToBool(out.Table.DeletionProtectionEnabled) {
		r.Note(part, "deploy with RetainData=true, unless you are taking the stack down", "is not protected from deletion")
	}
	d.backups(ctx, r, part, name)
}

func keys(schema []types.KeySchemaElement) string {
	var out []string
	for _, k := range schema {
		out = append(out, aws.ToString(k.AttributeName)+" "+string(k.KeyType))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

func (d *deployment) index(r *operator.Report, part string, t *types.TableDescription, want types.GlobalSecondaryIndex) {
	name := aws.ToString(want.IndexName)
	for _, got := range t.GlobalSecondaryIndexes {
		if aws.ToString(got.IndexName) != name {
			continue
		}
		switch {
		case got.IndexStatus != "" && got.IndexStatus != types.IndexStatusActive && got.IndexStatus != types.IndexStatusUpdating:
			r.Wrong(part, "wait until it is built", "index %s is %s", name, got.IndexStatus)
		case keys(got.KeySchema) != keys(want.KeySchema) || got.Projection == nil || got.Projection.ProjectionType != types.ProjectionTypeAll:
			r.Wrong(part, redeploy, "index %s is another than the template's", name)
		default:
			r.OK(part, "index %s", name)
		}
		return
	}
	r.Wrong(part, redeploy, "index %s is missing", name)
}

func (d *deployment) expiry(ctx context.Context, r *operator.Report, part, name, ttl string) {
	out, err := d.dynamo.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &name})
	switch {
	case err != nil:
		r.Wrong(part, "", "%v", explain(err))
	case aws.ToString(out.TimeToLiveDescription.AttributeName) != ttl:
		r.Wrong(part, redeploy, "items do not expire: time to live is not on for attribute %s", ttl)
	case out.TimeToLiveDescription.TimeToLiveStatus != types.TimeToLiveStatusEnabled && out.TimeToLiveDescription.TimeToLiveStatus != types.TimeToLiveStatusEnabling:
		r.Wrong(part, redeploy, "items do not expire: time to live is %s", out.TimeToLiveDescription.TimeToLiveStatus)
	default:
		r.OK(part, "items expire by attribute %s", ttl)
	}
}

func (d *deployment) backups(ctx context.Context, r *operator.Report, part, name string) {
	out, err := d.dynamo.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: &name})
	if err != nil {
		r.Note(part, "", "%v", explain(err))
		return
	}
	p := out.ContinuousBackupsDescription.PointInTimeRecoveryDescription
	if p == nil || p.PointInTimeRecoveryStatus != types.PointInTimeRecoveryStatusEnabled {
		r.Note(part, redeploy, "point-in-time recovery is off: what is lost is lost")
		return
	}
	r.OK(part, "point-in-time recovery is on")
}
