{{- define "meridia.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "meridia.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "meridia.labels" -}}
{{ include "meridia.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "meridia.image" -}}
{{ required "image.repository: name the image that you built from docker/Dockerfile" .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* What every container of a replica has: its settings, its files, and no rights. */}}
{{- define "meridia.container" -}}
image: {{ include "meridia.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
env:
  - name: MERIDIA_DB
    value: /data/meridia.db
  - name: MERIDIA_JOURNAL_URL
    valueFrom:
      secretKeyRef: {name: {{ .Values.journal.secret }}, key: {{ .Values.journal.entry }}}
  {{- range $name, $value := .Values.environment }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
resources: {{- toYaml .Values.resources | nindent 2 }}
volumeMounts:
  - {name: data, mountPath: /data}
  - {name: tmp, mountPath: /tmp}
{{- end }}
