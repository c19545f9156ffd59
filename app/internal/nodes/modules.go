package nodes

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// CheckModules fails if another server of the same version runs other modules.
func (n *Node) CheckModules(context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.unlike
}

// compare compares the modules of this server with those of others that are alive, and logs when they begin and cease
// to differ. Servers of different versions may have different ones during an upgrade.
func (n *Node) compare(ctx context.Context, own string, rows []row, peers map[string]peer) {
	at := slices.IndexFunc(rows, func(r row) bool { return r.ID == own })
	if at < 0 || rows[at].Modules == "" {
		return
	}
	me := rows[at]
	var unlike error
	for _, r := range rows {
		if r.Modules != "" && r.Version == me.Version && r.Modules != me.Modules && peers[r.ID].live {
			unlike = differ(me, r)
			break
		}
	}
	n.mu.Lock()
	before := n.unlike
	n.unlike = unlike
	n.mu.Unlock()
	switch {
	case unlike != nil && (before == nil || before.Error() != unlike.Error()):
		n.Log.WarnContext(ctx, "the servers run different modules", "error", unlike)
	case unlike == nil && before != nil:
		n.Log.InfoContext(ctx, "all servers run the same modules again")
	}
}

func differ(me, other row) error {
	mine, theirs := strings.Fields(me.Modules), strings.Fields(other.Modules)
	lacks := func(names, of []string) string {
		only := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(of, name) })
		if len(only) == 0 {
			return "none"
		}
		return strings.Join(only, ", ")
	}
	return fmt.Errorf("the server on %s (pid %d) runs other modules; missing there: %s; missing here: %s; "+
		"start all servers with the same configuration", other.Host, other.PID, lacks(mine, theirs), lacks(theirs, mine))
}
