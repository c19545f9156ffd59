// Package admin connects commands with the server that runs on the same data folder: HTTP over the Unix socket
// data_dir/admin.sock, which only the user of the server and root may use. What a command asks for is one route:
//
//	a.Handle("POST /log/level", admin.JSON(func(ctx context.Context, in setLevel) (done, error) { ... }))
//	err := admin.Dial(dataDir).Call(ctx, "POST /log/level", setLevel{...}, &out)
//
// A refusal is an errs.Error, whose text the command prints. Client and server are of the same version, except while
// the server has not been restarted after an upgrade, so routes must not change their meaning.
package admin
