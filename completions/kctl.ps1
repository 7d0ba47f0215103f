# PowerShell completion for kctl
Register-ArgumentCompleter -Native -CommandName 'kctl' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
    if ("$wordToComplete" -eq '') { $words += if ($PSVersionTable.PSVersion -lt [version]'7.3') { '""' } else { '' } }
    $prefix = if ("$wordToComplete" -match '^-[^=]*=') { $Matches[0] } else { '' }
    $number = 0
    $found = @()
    foreach ($line in @(& kctl __complete @words 2>$null)) {
        if ($line -match '^:(\d+)$') { $number = [int]$Matches[1] } else { $found += $line }
    }
    if ($number -band 24) { return }
    $space = if ($number -band 2) { '' } else { ' ' }
    foreach ($line in $found) {
        $parts = $line -split "`t", 2
        $about = if ($parts.Count -gt 1) { $parts[1] } else { $parts[0] }
        $text = "$prefix$($parts[0])"
        [System.Management.Automation.CompletionResult]::new("$text$space", $parts[0], 'ParameterValue', $about)
    }
    if (-not $found -and ($number -band 4)) { '' }
}
