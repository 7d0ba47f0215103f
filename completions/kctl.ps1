# PowerShell completion for kctl
Register-ArgumentCompleter -Native -CommandName 'kctl' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
    if ("$wordToComplete" -eq '') { $words += '""' }
    $answer = @(& kctl completion __words '--' @words 2>$null)
    foreach ($line in $answer) {
        if ($line.StartsWith(':')) { continue }
        $parts = $line -split "`t", 2
        $about = if ($parts.Count -gt 1) { $parts[1] } else { $parts[0] }
        [System.Management.Automation.CompletionResult]::new($parts[0], $parts[0], 'ParameterValue', $about)
    }
}
