#!/usr/bin/env bash
# Destroys the preview of a pull request: sweep/destroy.sh 12. Succeeds only if the service no longer has it. A preview whose state is lost
# is imported by its name first. TERRAFORM sets the CLI.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
terraform=${TERRAFORM:-terraform}
pull_request=$1
export TF_INPUT=0 TF_VAR_pull_request=$pull_request

# exists asks the service. If that fails, so does the script.
exists() {
	"$terraform" -chdir=sweep apply -auto-approve >&2 || exit
	"$terraform" -chdir=sweep output -raw existing | grep -qx "$pull_request"
}

echo "Destroying the preview of pull request $pull_request."
for root in preview sweep sweep/lost; do
	"$terraform" -chdir=$root init
done
TF_WORKSPACE=pr-$pull_request "$terraform" -chdir=preview destroy -auto-approve
if exists; then
	echo "The preview is not in the state of workspace pr-$pull_request. It is imported to be destroyed."
	"$terraform" -chdir=sweep/lost apply -auto-approve
	"$terraform" -chdir=sweep/lost destroy -auto-approve
	if exists; then
		echo "The service still has the preview of pull request $pull_request." >&2
		exit 1
	fi
fi
"$terraform" -chdir=preview workspace delete "pr-$pull_request"
