#!/usr/bin/env bash
# Destroys the previews that have not changed for longer than the time to live. Run it every day, in addition to destroy.sh when a pull
# request is closed: that job can fail or be forgotten. TF_VAR_ttl sets the time, and TERRAFORM the CLI.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
terraform=${TERRAFORM:-terraform}

"$terraform" init -input=false
"$terraform" apply -input=false -auto-approve
expired=$("$terraform" output -raw expired)
status=0
for pull_request in $expired; do
	# A preview that can't be destroyed doesn't keep the others.
	./destroy.sh "$pull_request" || status=1
done
exit "$status"
