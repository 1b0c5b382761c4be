package api

import "encoding/json"

// Object is a free-form JSON object that is passed on unchanged; numbers keep all digits.
type Object map[string]json.RawMessage

// LocalObjectReference names an object in the deployment's namespace.
type LocalObjectReference struct {
	Name string `json:"name"`
}

// Volume is a volume of the deployment's pod. At most one of the sources is set.
type Volume struct {
	// Name is a DNS label, unique in the pod.
	Name                  string `json:"name"`
	ConfigMap             Object `json:"configMap,omitzero"`
	Secret                Object `json:"secret,omitzero"`
	EmptyDir              Object `json:"emptyDir,omitzero"`
	PersistentVolumeClaim Object `json:"persistentVolumeClaim,omitzero"`
	NFS                   Object `json:"nfs,omitzero"`
	Projected             Object `json:"projected,omitzero"`
	DownwardAPI           Object `json:"downwardAPI,omitzero"`
	CSI                   Object `json:"csi,omitzero"`
}

// VolumeMount mounts a Volume into a container.
type VolumeMount struct {
	// Name is the name of a Volume of the same spec.
	Name             string  `json:"name"`
	MountPath        string  `json:"mountPath"`
	SubPath          *string `json:"subPath,omitzero"`
	MountPropagation *string `json:"mountPropagation,omitzero"`
	ReadOnly         *bool   `json:"readOnly,omitzero"`
	SubPathExpr      *string `json:"subPathExpr,omitzero"`
}

// Container is an init container or a sidecar.
type Container struct {
	// Name is a DNS label.
	Name  string `json:"name"`
	Image string `json:"image"`
	// ImagePullPolicy is Always, Never or IfNotPresent.
	ImagePullPolicy *string               `json:"imagePullPolicy,omitzero"`
	Command         []string              `json:"command,omitzero"`
	Args            []string              `json:"args,omitzero"`
	WorkingDir      *string               `json:"workingDir,omitzero"`
	Env             []EnvVar              `json:"env,omitzero"`
	EnvFrom         []Object              `json:"envFrom,omitzero"`
	Resources       *ResourceRequirements `json:"resources,omitzero"`
	VolumeMounts    []VolumeMount         `json:"volumeMounts,omitzero"`
	SecurityContext Object                `json:"securityContext,omitzero"`
	// RestartPolicy is Always or OnFailure; sidecars only.
	RestartPolicy *string `json:"restartPolicy,omitzero"`
}

// EnvVar is an environment variable of a Container.
type EnvVar struct {
	// Name is a C identifier.
	Name string `json:"name"`
	// Value is empty when absent.
	Value *string `json:"value,omitzero"`
	// ValueFrom excludes a non-empty Value.
	ValueFrom Object `json:"valueFrom,omitzero"`
}

// ResourceRequirements are Kubernetes quantities by resource name.
type ResourceRequirements struct {
	Limits   map[string]string `json:"limits,omitzero"`
	Requests map[string]string `json:"requests,omitzero"`
}
