#!/usr/bin/env bash
# Destroys the previews that have not changed for longer than the time to live. Run it every day, beside the destruction of a preview
# when its pull request is closed: that job can fail or be forgotten. TF_VAR_ttl sets the time, and TERRAFORM the CLI.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
terraform=${TERRAFORM:-terraform}
export TF_INPUT=0

for root in sweep preview; do
	"$terraform" -chdir=$root init
done
"$terraform" -chdir=sweep apply -auto-approve
status=0
for pull_request in $("$terraform" -chdir=sweep output -raw expired); do
	echo "Destroying the preview of pull request $pull_request."
	# A preview that can't be destroyed doesn't keep the others.
	TF_WORKSPACE=pr-$pull_request "$terraform" -chdir=preview destroy -auto-approve -var "pull_request=$pull_request" &&
		"$terraform" -chdir=preview workspace delete "pr-$pull_request" || status=1
done
exit "$status"
