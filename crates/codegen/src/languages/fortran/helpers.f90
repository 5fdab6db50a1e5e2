!= opaque
    ! The same number, unknown to the compiler.
    pure function opaque(x) result(y)
        real(dp), intent(in) :: x
        real(dp) :: y
        y = x
    end function opaque
!= equal
    ! Whether two numbers are equal; false for NaN.
    elemental function equal(a, b) result(yes)
        real(dp), intent(in) :: a, b
        logical :: yes
        yes = a <= b .and. a >= b
    end function equal
!= floor_of
    ! Greatest whole number not above x.
    elemental function floor_of(x) result(y)
        real(dp), intent(in) :: x
        real(dp) :: y
        y = aint(x)
        if (y > x) y = y - 1.0_dp
    end function floor_of
!= sign_of
    ! 1 above zero, -1 below, otherwise x itself.
    elemental function sign_of(x) result(y)
        real(dp), intent(in) :: x
        real(dp) :: y
        y = x
        if (x > 0.0_dp) y = 1.0_dp
        if (x < 0.0_dp) y = -1.0_dp
    end function sign_of
!= minimum
    ! The first if it is less, otherwise the second.
    elemental function minimum(a, b) result(y)
        real(dp), intent(in) :: a, b
        real(dp) :: y
        y = merge(a, b, a < b)
    end function minimum
!= maximum
    ! The first if it is greater, otherwise the second.
    elemental function maximum(a, b) result(y)
        real(dp), intent(in) :: a, b
        real(dp) :: y
        y = merge(a, b, a > b)
    end function maximum
!= whole_power
    ! x to the whole power n, by repeated squaring.
    elemental function whole_power(x, n) result(power)
        real(dp), intent(in) :: x
        integer, intent(in) :: n
        real(dp) :: power, base
        integer :: bits
        power = 1.0_dp
        base = x
        bits = abs(n)
        do while (bits /= 0)
            if (mod(bits, 2) == 1) power = power*base
            base = base*base
            bits = shiftr(bits, 1)
        end do
        if (n < 0) power = 1.0_dp/power
    end function whole_power
!= fused
    ! The high half of a number's digits.
    elemental function high_half(x) result(high)
        real(dp), intent(in) :: x
        real(dp) :: high, shifted
        shifted = 134217729.0_dp*x
        high = shifted - (shifted - x)
    end function high_half

    ! a b + c with the product exact and the sum of the parts rounded at the end.
    elemental function fused(a, b, c) result(y)
        real(dp), intent(in) :: a, b, c
        real(dp) :: y, p, ah, bh, al, bl, p_rest, seen, s_rest
        p = a*b
        y = p + c
        if (.not. (abs(a) < 1e140_dp .and. abs(b) < 1e140_dp .and. abs(c) < 1e290_dp)) return
        ah = high_half(a)
        bh = high_half(b)
        al = a - ah
        bl = b - bh
        p_rest = (((ah*bh - p) + ah*bl) + al*bh) + al*bl
        seen = y - p
        s_rest = (p - (y - seen)) + (c - seen)
        y = y + (s_rest + p_rest)
    end function fused
!= find_interval
    ! Number of the interval of x between increasing knots: 0 before the first, n from the last on.
    ! Measures x from the left end of the interval.
    pure subroutine find_interval(knots, clamp, x, low, t)
        real(dp), intent(in) :: knots(:), x
        logical, intent(in) :: clamp
        integer, intent(out) :: low
        real(dp), intent(out) :: t
        integer :: high, middle
        low = 0
        high = size(knots)
        do while (low < high)
            middle = (low + high)/2
            if (knots(middle + 1) <= x) then
                low = middle + 1
            else
                high = middle
            end if
        end do
        t = x - knots(max(low, 1))
        if (clamp .and. (low == 0 .or. low == size(knots)) .and. .not. ieee_is_nan(x)) t = 0.0_dp
    end subroutine find_interval
!= cubic
    ! A derivative of c(1) + c(2) t + c(3) t^2 + c(4) t^3.
    pure function cubic(c, t, order) result(y)
        real(dp), intent(in) :: c(4), t
        integer, intent(in) :: order
        real(dp) :: y
        select case (order)
        case (0)
            y = c(1) + t*(c(2) + t*(c(3) + t*c(4)))
        case (1)
            y = c(2) + t*(2.0_dp*c(3) + t*(3.0_dp*c(4)))
        case (2)
            y = 2.0_dp*c(3) + t*(6.0_dp*c(4))
        case (3)
            y = 6.0_dp*c(4)
        case default
            y = 0.0_dp
        end select
    end function cubic
!= look_up
    ! A table of one argument, or its derivative.
    pure function look_up(knots, cubics, clamp, x, order) result(y)
        real(dp), intent(in) :: knots(:), cubics(:), x
        logical, intent(in) :: clamp
        integer, intent(in) :: order
        real(dp) :: y, t
        integer :: i
        call find_interval(knots, clamp, x, i, t)
        y = cubic(cubics(4*i + 1:4*i + 4), t, order)
    end function look_up
!= look_up_2
    ! A table of two arguments, or a partial derivative.
    pure function look_up_2(x_knots, y_knots, patches, clamp, x, y, dx, dy) result(z)
        real(dp), intent(in) :: x_knots(:), y_knots(:), patches(:), x, y
        logical, intent(in) :: clamp
        integer, intent(in) :: dx, dy
        real(dp) :: z, s, t, along_y(4)
        integer :: i, j, k, first
        call find_interval(x_knots, clamp, x, i, s)
        call find_interval(y_knots, clamp, y, j, t)
        do k = 1, 4
            first = 16*(i*(size(y_knots) + 1) + j) + 4*k - 3
            along_y(k) = cubic(patches(first:first + 3), t, dy)
        end do
        z = cubic(along_y, s, dx)
    end function look_up_2
!= solve_linear
    ! Solves A X = B for a symmetric positive semidefinite A by LDL^T; a is n by n and destroyed; b
    ! goes column by column and becomes X. Unknowns of rows that depend on others are zero.
    pure subroutine solve_linear(n, a, m, b)
        integer, intent(in) :: n, m
        real(dp), intent(inout) :: a(n, n), b(n, m/n)
        real(dp) :: t, rest
        integer :: i, j, k
        do k = 1, n
            do j = 1, k - 1
                do i = 1, j - 1
                    a(j, k) = a(j, k) - a(i, k)*a(i, j)
                end do
            end do
            rest = a(k, k)
            do j = 1, k - 1
                t = a(j, k)
                a(j, k) = 0.0_dp
                if (a(j, j) > 0.0_dp) a(j, k) = t/a(j, j)
                rest = rest - t*a(j, k)
            end do
            if (.not. abs(rest) <= 1.7e308_dp) then
                b = ieee_value(1.0_dp, ieee_quiet_nan)
                return
            end if
            if (rest > 1e-12_dp*a(k, k)) then
                a(k, k) = rest
            else
                a(k, k) = 0.0_dp
            end if
        end do
        do k = 1, m/n
            do i = 1, n
                do j = 1, i - 1
                    b(i, k) = b(i, k) - a(j, i)*b(j, k)
                end do
            end do
            do i = n, 1, -1
                if (a(i, i) > 0.0_dp) then
                    b(i, k) = b(i, k)/a(i, i)
                else
                    b(i, k) = 0.0_dp
                end if
                do j = i + 1, n
                    b(i, k) = b(i, k) - a(i, j)*b(j, k)
                end do
            end do
        end do
    end subroutine solve_linear
